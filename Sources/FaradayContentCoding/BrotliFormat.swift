#if Brotli
internal import CBrotli

/// A decoder for `br`, Brotli (RFC 7932), which has no checksum.
final class BrotliFormat: CodingFormat {
  private var decoder: OpaquePointer?
  private var hasBegun = false

  var mayEnd: Bool { !hasBegun || BrotliDecoderIsFinished(decoder) != 0 }

  deinit { BrotliDecoderDestroyInstance(decoder) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    if !hasBegun {
      guard !input.isEmpty else { return Progress() }
      decoder = BrotliDecoderCreateInstance(nil, nil, nil)
      guard decoder != nil else { throw .outOfMemory }
      hasBegun = true
    }
    if BrotliDecoderIsFinished(decoder) != 0 {
      guard input.isEmpty else { throw .malformed(.brotli, "bytes follow its end") }
      return Progress()
    }
    var (available, room) = (input.count, output.count)
    var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(decoder, &available, &next, &room, &target, nil)
    guard result != BROTLI_DECODER_RESULT_ERROR else {
      let code = BrotliDecoderGetErrorCode(decoder)
      throw .malformed(.brotli, String(cString: BrotliDecoderErrorString(code)))
    }
    return Progress(consumed: input.count - available, produced: output.count - room)
  }
}
#endif
