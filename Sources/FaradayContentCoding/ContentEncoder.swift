internal import CZlib
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A streaming encoder for the gzip or deflate coding of one body, in constant memory: about 330 KiB, freed with the encoder.
///
///     encoder.feed(bytes)
///     while let piece = try encoder.next() { … }   // then `feed(_:)` more, or `finish()`
///
/// Equal bytes in equal pieces have an equal encoding. Not thread-safe.
package final class ContentEncoder {
  /// The coding's format around the deflate data, as zlib's `windowBits` with the largest window.
  package enum Format: Int32, Sendable {
    /// RFC 1952, without a time and a name.
    case gzip = 31
    /// RFC 1950, which HTTP calls deflate.
    case deflate = 15
  }

  /// The error if zlib's memory cannot be allocated.
  package struct OutOfMemory: Error {}

  private static let pieceSize = 64 << 10

  /// On the heap, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private var input = Data()
  private var flush = Z_NO_FLUSH
  /// Whether zlib may have output for the bytes that it has consumed.
  private var hasOutput = false

  package init(_ format: Format) throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: Self.pieceSize, alignment: 16)
    let code = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw OutOfMemory() }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Adds bytes. Allowed only after ``next()`` has returned nil.
  ///
  /// - Parameter flushes: whether their whole encoding is returned at once. Otherwise zlib keeps the last bytes until it has
  ///   more, which makes the encoding smaller.
  package func feed(_ bytes: Data, flushes: Bool = false) {
    guard !bytes.isEmpty else { return }
    (input, hasOutput, flush) = (bytes, true, flushes ? Z_SYNC_FLUSH : Z_NO_FLUSH)
  }

  /// Notes the end of the bytes. Allowed only once, after ``next()`` has returned nil.
  package func finish() { (hasOutput, flush) = (true, Z_FINISH) }

  /// Encodes the next piece, which has at most 64 KiB and is never empty. Returns nil if more bytes are needed, and at the end.
  package func next() -> Data? {
    guard hasOutput else { return nil }
    var produced = 0
    while hasOutput, produced < output.count {
      let consumed = input.withUnsafeBytes { bytes in
        let count = UInt32(clamping: bytes.count)
        stream.pointee.next_in = bytes.bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_in = count
        stream.pointee.next_out = output[produced...].bindMemory(to: Bytef.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count - produced)
        _ = deflate(stream, bytes.count > Int(count) ? Z_NO_FLUSH : flush)
        return Int(count - stream.pointee.avail_in)
      }
      input = input.dropFirst(consumed)
      produced = output.count - Int(stream.pointee.avail_out)
      // With room left, zlib has consumed and returned all that it can.
      hasOutput = produced == output.count || !input.isEmpty
    }
    if input.isEmpty { input = Data() }
    return produced > 0 ? Data(UnsafeRawBufferPointer(rebasing: output[..<produced])) : nil
  }
}
