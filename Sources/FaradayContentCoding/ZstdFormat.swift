internal import CLibraries

/// A decoder for `zstd`: one or more frames whose contents are concatenated, and skippable frames (RFC 8878), with a window of
/// at most 8 MiB (RFC 9659).
final class ZstdFormat: CodingFormat {
  private static let windowParameter: Int32 = 100  // ZSTD_d_windowLogMax
  private static let maximumWindow: Int32 = 23  // as a power of 2
  private static let maximumHeader = 18

  private let library: faraday_zstd
  private var decoder: OpaquePointer?
  /// Whether the next byte begins a frame.
  private var isBetweenFrames = true
  /// The number of bytes of the frame, up to the maximum length of its header.
  private var header = 0
  /// Whether the decoder may have more output for the bytes that it has consumed.
  private var hasOutput = false

  init(_ library: faraday_zstd) { self.library = library }

  deinit { _ = library.destroy(decoder) }

  var mayEnd: Bool { isBetweenFrames }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    // Repeated calls without progress are an error of libzstd.
    guard !input.isEmpty || hasOutput else { return Progress() }
    var bytes = faraday_zstd_input(bytes: input.baseAddress, size: input.count, position: 0)
    // With more than one byte of a header, libzstd could decode a small frame in one step, which does not check the window, or
    // use its decoders for the formats before 1.0, which are not in RFC 8878.
    if header < Self.maximumHeader { bytes.size = min(1, bytes.size) }
    let decoder = try makeDecoder()
    var room = faraday_zstd_output(bytes: output.baseAddress, size: output.count, position: 0)
    let code = library.decode(decoder, &room, &bytes)
    guard library.is_error(code) == 0 else { throw .malformed(.zstd, String(cString: library.error_text(code))) }
    isBetweenFrames = code == 0
    header = isBetweenFrames ? 0 : min(header + bytes.position, Self.maximumHeader)
    hasOutput = !isBetweenFrames && room.position == room.size
    return Progress(consumed: bytes.position, produced: room.position)
  }

  private func makeDecoder() throws(ContentDecodingError) -> OpaquePointer {
    if let decoder { return decoder }
    decoder = library.create()
    guard let decoder, library.is_error(library.set(decoder, Self.windowParameter, Self.maximumWindow)) == 0 else {
      throw .outOfMemory
    }
    return decoder
  }
}
