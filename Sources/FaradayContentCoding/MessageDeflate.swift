internal import CZlib
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A decompressor for the messages of a WebSocket (RFC 7692, section 7.2.2): raw deflate data without the end of its last
/// block. Each call of ``next()`` returns at most 64 KiB, so that the caller can stop a decompression bomb. zlib's memory,
/// about 45 KiB, is allocated with the first message. Not thread-safe.
package final class MessageInflater {
  /// The bytes that end each message, and are not sent.
  package static let end = Data([0x00, 0x00, 0xFF, 0xFF])

  private static let pieceSize = 64 << 10

  private let keepsContext: Bool
  private var inflater: Inflater?
  private var input = Data()
  private var hasOutput = false
  /// The number of last blocks of the message since its latest output. They cost time and yield nothing, so few are accepted.
  private var emptyEnds = 0
  private static let maximumEmptyEnds = 16

  /// - Parameter keepsContext: whether a message may refer to bytes of earlier messages (context takeover).
  package init(keepsContext: Bool) { self.keepsContext = keepsContext }

  /// Adds bytes of a message. Allowed only after ``next()`` has returned nil.
  package func feed(_ bytes: Data) { (input, hasOutput) = (bytes, true) }

  /// The next decompressed bytes; nil if more bytes are needed.
  package func next() throws(ContentDecodingError) -> Data? {
    guard hasOutput else { return nil }
    let inflater = try opened()
    var output = Data(count: min(Self.pieceSize, 8 * input.count + 512))
    while hasOutput {
      // A block that was marked as the last one: another may follow it.
      if inflater.hasEnded {
        guard emptyEnds < Self.maximumEmptyEnds else { throw .malformed(.deflate, "it has too many last blocks") }
        emptyEnds += 1
        inflater.reset()
      }
      let progress = try inflate(by: inflater, into: &output)
      input = input.dropFirst(progress.consumed)
      hasOutput = progress.produced == output.count || !input.isEmpty && progress.consumed + progress.produced > 0
      if progress.produced > 0 {
        emptyEnds = 0
        return output.prefix(progress.produced)
      }
    }
    return nil
  }

  private func opened() throws(ContentDecodingError) -> Inflater {
    if let inflater { return inflater }
    let opened = try Inflater(.none, for: .deflate)
    inflater = opened
    return opened
  }

  private func inflate(by inflater: Inflater, into output: inout Data) throws(ContentDecodingError) -> Progress {
    let result = input.withUnsafeBytes { input in
      output.withUnsafeMutableBytes { output -> Result<Progress, ContentDecodingError> in
        do throws(ContentDecodingError) { return .success(try inflater.inflate(input, into: output)) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// Notes the end of a message.
  package func endMessage() {
    emptyEnds = 0
    if !keepsContext { inflater?.reset() }
  }
}

/// A compressor for the messages of a WebSocket (RFC 7692, section 7.2.1). zlib's memory, about 260 KiB with the largest
/// window, is allocated with the first message. Not thread-safe.
package final class MessageDeflater {
  /// The sizes of the window that zlib can write, as powers of two. It has no window of 2 to the power of 8.
  package static let windows: ClosedRange<Int32> = 9...15

  /// The error if zlib's memory cannot be allocated.
  package struct OutOfMemory: Error {}

  private let keepsContext: Bool
  private let window: Int32
  /// On the heap, because zlib keeps its address.
  private var stream: UnsafeMutablePointer<z_stream>?

  /// - Parameters:
  ///   - keepsContext: whether a message refers to bytes of earlier messages (context takeover).
  ///   - window: the size of the window as a power of two, within ``windows``.
  package init(keepsContext: Bool, window: Int32 = 15) {
    self.keepsContext = keepsContext
    self.window = min(max(window, Self.windows.lowerBound), Self.windows.upperBound)
  }

  deinit {
    guard let stream else { return }
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses a part of a message.
  ///
  /// - Parameter isEnd: whether it is the last part.
  package func compress(_ bytes: Data, isEnd: Bool) throws(OutOfMemory) -> Data {
    let stream = try opened()
    var output = Data(count: bytes.count / 2 + 64)
    var produced = 0
    bytes.withUnsafeBytes { input in
      var consumed = 0
      var isDone = false
      while !isDone {
        if produced == output.count { output.count *= 2 }
        let room = UInt32(clamping: output.count - produced)
        let available = UInt32(clamping: input.count - consumed)
        output.withUnsafeMutableBytes { output in
          stream.pointee.next_in = UnsafeRawBufferPointer(rebasing: input[consumed...]).bindMemory(to: Bytef.self).baseAddress
          stream.pointee.avail_in = available
          stream.pointee.next_out =
            UnsafeMutableRawBufferPointer(rebasing: output[produced...]).bindMemory(to: Bytef.self).baseAddress
          stream.pointee.avail_out = room
          _ = deflate(stream, isEnd && Int(available) == input.count - consumed ? Z_SYNC_FLUSH : Z_NO_FLUSH)
        }
        consumed += Int(available - stream.pointee.avail_in)
        produced += Int(room - stream.pointee.avail_out)
        isDone = stream.pointee.avail_out > 0 && consumed == input.count
      }
    }
    guard isEnd else { return output.prefix(produced) }
    if !keepsContext { deflateReset(stream) }
    // A flush ends with the four bytes that are not sent. zlib writes none after an earlier flush without bytes between them:
    // then the message is an empty block without these four bytes (RFC 7692, section 7.2.3.6).
    return produced < MessageInflater.end.count ? Data([0]) : output.prefix(produced - MessageInflater.end.count)
  }

  private func opened() throws(OutOfMemory) -> UnsafeMutablePointer<z_stream> {
    if let stream { return stream }
    let opened = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    opened.initialize(to: z_stream())
    let code = deflateInit2_(
      opened, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      opened.deallocate()
      throw OutOfMemory()
    }
    stream = opened
    return opened
  }
}
