/// deflate: the zlib format that RFC 9110 means by it (section 8.4.1.2), or the bare deflate data that some servers send.
///
/// The first two bytes tell. A zlib header names method 8, a window of 32 KiB at most, and is a multiple of 31. To bare deflate data
/// the same bits of the first byte are the beginning of a stored block with padding that is not zero, which no encoder writes. So what
/// has a zlib header is never tried as bare data when it fails: the checksum at its end would be lost, and something broken might
/// pass for whole.
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
    // The first byte is not in the input any more. It is too short for a code, and yields nothing by itself.
    try withUnsafeBytes(of: first) { first throws(ContentDecodingError) in _ = try inflater.inflate(first, into: output) }
    return try inflater.inflate(input, into: output)
  }

  private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
    first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
  }
}
