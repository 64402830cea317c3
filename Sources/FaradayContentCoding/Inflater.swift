internal import CZlib

/// zlib's `inflate` for one stream.
final class Inflater {
  /// The format around the deflate data, as zlib's `windowBits` with the largest window.
  enum Wrapper: Int32 {
    case none = -15
    case zlib = 15
    case gzip = 31
  }

  private let coding: ContentCoding
  /// On the heap, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Whether the stream is complete, with a correct checksum and length.
  private(set) var hasEnded = false

  init(_ wrapper: Wrapper, for coding: ContentCoding) throws(ContentDecodingError) {
    self.coding = coding
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .outOfMemory
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Resets for the next stream, reusing the memory.
  func reset() {
    inflateReset(stream)
    hasEnded = false
  }

  func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    let (available, room) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = available
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = room
    let code = CZlib.inflate(stream, Z_SYNC_FLUSH)
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: hasEnded = true
    case Z_NEED_DICT: throw .malformed(coding, "it needs a preset dictionary")
    case Z_MEM_ERROR: throw .outOfMemory
    default: throw .malformed(coding, stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(code)")
    }
    return Progress(
      consumed: Int(available - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out))
  }
}
