internal import CLibraries
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
  /// The output buffer; nil after it was returned with its content.
  private var buffer: UnsafeMutableRawBufferPointer?

  private(set) var consumed: Int64 = 0
  private(set) var produced: Int64 = 0

  /// Nil if the coding is not available.
  init?(_ coding: ContentCoding) {
    guard let format = coding.makeFormat() else { return nil }
    self.coding = coding
    self.format = format
  }

  deinit { buffer?.deallocate() }

  /// Sets the next input. Allowed only after ``next()`` has returned nil, when all earlier input is decoded.
  func feed(_ bytes: Data) { (input, offset) = (bytes, 0) }

  /// Decodes until the input ends or the buffer is full; nil if there is no output.
  func next() throws(ContentDecodingError) -> Data? {
    let buffer = self.buffer ?? .allocate(byteCount: ContentDecoder.pieceSize, alignment: 16)
    self.buffer = buffer
    let filled = try fill(buffer)
    consumed += Int64(filled.consumed)
    produced += Int64(filled.produced)
    guard filled.produced > 0 else { return nil }
    // A well-filled buffer is returned without a copy. A short piece is copied, so that it does not keep the whole buffer in
    // memory.
    guard filled.produced > ContentDecoder.pieceSize / 2, let start = buffer.baseAddress else {
      return Data(UnsafeRawBufferPointer(rebasing: buffer[..<filled.produced]))
    }
    self.buffer = nil
    return Data(bytesNoCopy: start, count: filled.produced, deallocator: .custom { start, _ in start.deallocate() })
  }

  /// Throws if the input was incomplete.
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

/// The number of bytes that a decoding step has consumed and produced.
struct Progress {
  var consumed = 0
  var produced = 0
}

/// A streaming decoder for one coding.
protocol CodingFormat: AnyObject {
  /// Decodes until the input ends or the output is full. If the output has room and there is no progress, the decoder needs
  /// more input.
  ///
  /// - Parameters:
  ///   - input: the bytes after the consumed bytes. May be empty, because output may be pending.
  ///   - output: the buffer for decoded bytes, never empty.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress

  /// Whether the content is complete with the bytes consumed so far. Zero bytes are a complete, empty body.
  var mayEnd: Bool { get }
}

extension ContentCoding {
  /// A decoder; nil if the coding is not available.
  func makeFormat() -> (any CodingFormat)? {
    switch self {
    case .gzip: GzipFormat()
    case .deflate: DeflateFormat()
    case .brotli: faraday_brotli.loaded.map(BrotliFormat.init)
    case .zstd: faraday_zstd.loaded.map(ZstdFormat.init)
    }
  }
}
