#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One coding being undone: the bytes it has still to decode, and the buffer it decodes into.
final class DecodingStage {
  private let coding: ContentCoding
  private let format: any CodingFormat
  private var input = Data()
  /// How much of the input is decoded.
  private var offset = 0
  /// The buffer, unless it has been given away with what is in it.
  private var buffer: UnsafeMutableRawBufferPointer?

  private(set) var consumed: Int64 = 0
  private(set) var produced: Int64 = 0

  init(_ coding: ContentCoding) {
    self.coding = coding
    format = coding.makeFormat()
  }

  deinit { buffer?.deallocate() }

  /// Only when ``next()`` has given nil, hence all before it is decoded.
  func feed(_ bytes: Data) { (input, offset) = (bytes, 0) }

  /// As much as the input gives, and the buffer holds; nil if it gives none.
  func next() throws(ContentDecodingError) -> Data? {
    let buffer = self.buffer ?? .allocate(byteCount: ContentDecoder.pieceSize, alignment: 16)
    self.buffer = buffer
    let filled = try fill(buffer)
    consumed += Int64(filled.consumed)
    produced += Int64(filled.produced)
    guard filled.produced > 0 else { return nil }
    // What fills it well is not copied. Something short would keep all of it in memory.
    guard filled.produced > ContentDecoder.pieceSize / 2, let start = buffer.baseAddress else {
      return Data(UnsafeRawBufferPointer(rebasing: buffer[..<filled.produced]))
    }
    self.buffer = nil
    return Data(bytesNoCopy: start, count: filled.produced, deallocator: .custom { start, _ in start.deallocate() })
  }

  /// There is no more input.
  func finish() throws(ContentDecodingError) {
    guard format.mayEnd else { throw .truncated(coding) }
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ContentDecodingError) -> Progress {
    var whole = Progress()
    let (start, format) = (offset, self.format)
    let left = try input.bytes.withUnsafeBytes { bytes throws(ContentDecodingError) in
      while whole.produced < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(start + whole.consumed)...])
        let step = try format.decode(rest, into: UnsafeMutableRawBufferPointer(rebasing: buffer[whole.produced...]))
        whole.consumed += step.consumed
        whole.produced += step.produced
        guard step.consumed > 0 || step.produced > 0 else {
          guard rest.isEmpty else { throw .malformed(coding, "it does not go on") }
          break
        }
      }
      return bytes.count - start - whole.consumed
    }
    if left > 0 { offset += whole.consumed } else { (input, offset) = (Data(), 0) }
    return whole
  }
}

/// How many bytes were decoded, and to how many.
struct Progress {
  var consumed = 0
  var produced = 0
}

/// What one coding makes of bytes, however they are cut into pieces.
protocol CodingFormat: AnyObject {
  /// Decodes as much as there is, or as there is room for. No progress with room left means that it wants more bytes.
  ///
  /// - Parameter input: what follows the bytes consumed so far; it may be empty, when only output may be pending.
  /// - Parameter output: never empty.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress

  /// Whether the content is complete with the bytes consumed so far. No byte at all is an empty body.
  var mayEnd: Bool { get }
}

extension ContentCoding {
  func makeFormat() -> any CodingFormat {
    switch self {
    case .gzip: GzipFormat()
    case .deflate: DeflateFormat()
    #if Brotli
    case .brotli: BrotliFormat()
    #endif
    }
  }
}
