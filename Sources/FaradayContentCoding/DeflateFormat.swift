/// A decoder for `deflate`: the zlib format of RFC 9110 (section 8.4.1.2), or raw deflate data, which some servers send.
///
/// The first two bytes determine the format. A zlib header contains method 8 and a window of at most 32 KiB, and is a multiple
/// of 31. As raw deflate, the same bits would be a stored block with non-zero padding, which no encoder writes. Data with a
/// zlib header is never retried as raw deflate after an error: its checksum would be ignored, and corrupt data might be
/// accepted.
final class DeflateFormat: CodingFormat {
  private var first: UInt8?
  private var inflater: Inflater?

  var mayEnd: Bool { inflater?.hasEnded ?? (first == nil) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    guard let inflater else { return try begin(input, into: output) }
    guard !inflater.hasEnded else {
      guard input.isEmpty else { throw .malformed(.deflate, "bytes follow its end") }
      return Progress()
    }
    return try inflater.inflate(input, into: output)
  }

  private func begin(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> Progress {
    guard let byte = input.first else { return Progress() }
    guard let first else {
      first = byte
      return Progress(consumed: 1)
    }
    let inflater = try Inflater(Self.isZlib(first, byte) ? .zlib : .none, for: .deflate)
    self.inflater = inflater
    // The first byte is no longer in the input. A single byte is too short for a code, and yields no output.
    try withUnsafeBytes(of: first) { first throws(ContentDecodingError) in _ = try inflater.inflate(first, into: output) }
    return try inflater.inflate(input, into: output)
  }

  private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
    first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
  }
}
