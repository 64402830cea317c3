#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decoder of one coding, with its input and output buffers.
final class DecodingStage {
  private let coding: ContentCoding
  private let format: any CodingFormat
  private var input = Data()
  /// The number of input bytes that were decoded.
  private var offset = 0
  /// The output buffer; nil after it was handed over with its content.
  private var buffer: UnsafeMutableRawBufferPointer?

  private(set) var consumed: Int64 = 0
  private(set) var produced: Int64 = 0

  init(_ coding: ContentCoding) {
    self.coding = coding
    format = coding.makeFormat()
  }

  deinit { buffer?.deallocate() }

  /// Sets the next input. Only after ``next()`` has returned nil, when all input before is decoded.
  func feed(_ bytes: Data) { (input, offset) = (bytes, 0) }

  /// Decodes as much as there is input for and room in the buffer; nil if there is no output.
  func next() throws(ContentDecodingError) -> Data? {
    let buffer = self.buffer ?? .allocate(byteCount: ContentDecoder.pieceSize, alignment: 16)
    self.buffer = buffer
    let filled = try fill(buffer)
    consumed += Int64(filled.consumed)
    produced += Int64(filled.produced)
    guard filled.produced > 0 else { return nil }
    // A well-filled buffer is handed over without a copy. A short piece is copied, to not keep the whole buffer in memory.
    guard filled.produced > ContentDecoder.pieceSize / 2, let start = buffer.baseAddress else {
      return Data(UnsafeRawBufferPointer(rebasing: buffer[..<filled.produced]))
    }
    self.buffer = nil
    return Data(bytesNoCopy: start, count: filled.produced, deallocator: .custom { start, _ in start.deallocate() })
  }

  /// Throws if the input was not complete.
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
          guard rest.isEmpty else { throw .malformed(coding, "decoding makes no progress") }
          break
        }
      }
      return bytes.count - start - whole.consumed
    }
    if left > 0 { offset += whole.consumed } else { (input, offset) = (Data(), 0) }
    return whole
  }
}

/// The number of bytes that were consumed and produced by decoding.
struct Progress {
  var consumed = 0
  var produced = 0
}

/// A streaming decoder for one coding.
protocol CodingFormat: AnyObject {
  /// Decodes as much as there is input for and room in the output. No progress with room left means that it needs more input.
  ///
  /// - Parameters:
  ///   - input: the bytes after those consumed so far; may be empty, if output may be pending.
  ///   - output: the buffer for decoded bytes, never empty.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress

  /// Whether the content is complete with the bytes consumed so far. No bytes at all are a complete, empty body.
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
