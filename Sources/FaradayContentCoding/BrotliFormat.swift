internal import CLibraries

/// A decoder for `br`, Brotli (RFC 7932), which has no checksum.
final class BrotliFormat: CodingFormat {
  private let library: faraday_brotli
  private var decoder: OpaquePointer?

  init(_ library: faraday_brotli) { self.library = library }

  deinit { library.destroy(decoder) }

  var mayEnd: Bool { decoder.map { library.is_finished($0) != 0 } ?? true }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    if decoder == nil, input.isEmpty { return Progress() }
    guard let decoder = decoder ?? library.create(nil, nil, nil) else { throw .outOfMemory }
    self.decoder = decoder
    if library.is_finished(decoder) != 0 {
      guard input.isEmpty else { throw .malformed(.brotli, "bytes follow its end") }
      return Progress()
    }
    var (available, room) = (input.count, output.count)
    var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard library.decode(decoder, &available, &next, &room, &target, nil) != 0 else {
      throw .malformed(.brotli, String(cString: library.error_text(library.error_code(decoder))))
    }
    return Progress(consumed: input.count - available, produced: output.count - room)
  }
}
