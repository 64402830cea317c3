/// A decoder for `gzip`: one or more members whose contents are concatenated (RFC 1952, section 2.2).
final class GzipFormat: CodingFormat {
  private var inflater: Inflater?

  var mayEnd: Bool { inflater?.hasEnded ?? true }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    guard let inflater else {
      guard !input.isEmpty else { return Progress() }
      let first = try Inflater(.gzip, for: .gzip)
      inflater = first
      return try first.inflate(input, into: output)
    }
    if inflater.hasEnded {
      guard !input.isEmpty else { return Progress() }
      inflater.reset()
    }
    return try inflater.inflate(input, into: output)
  }
}
