/// Asks for a compressed response, gzip or deflate (and br with the package's trait `Brotli`), and decodes it as it is read.
///
/// A request that has an `Accept-Encoding` of its own keeps it, and one with a `Range` asks for no coding, as a part of what is encoded
/// cannot be decoded. The response is decoded all the same if it comes encoded (RFC 9110, section 8.4); up to four codings one on
/// top of the other are undone, and a body in a coding that is not known stays as it came. The header fields stay as they were
/// received: `Content-Encoding` names what was decoded and `Content-Length`, if any, counts the encoded bytes.
///
/// A body that is not at the end of its coding when it is at its own end fails, with ``TransportError/Code/decompressionFailed``, as
/// does one with a wrong checksum, or with bytes behind its coding; only bare deflate data and br have no checksum. Both limits guard
/// against a small response that grows without end; over either reading it fails with
/// ``TransportError/Code/decompressionLimit``. Decoding takes about 110 KiB for each coding, and br up to 16 MiB more.
public struct Decompression: Sendable, Hashable {
  /// The largest decoded body, in bytes. 1 GiB by default. (Buffered delivery has ``Options/maximumBodySize`` besides.)
  public var maximumSize: Int64
  /// The most decoded bytes per encoded byte, looked at once the body is over 1 MiB. 200 by default.
  public var maximumRatio: Int64

  public init(maximumSize: Int64 = 1 << 30, maximumRatio: Int64 = 200) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
  }

  /// Decodes within the default limits.
  public static let standard = Decompression()

  /// The decoded size below which the ratio is not looked at: a short run of equal bytes is no attack.
  package static let ratioFloor: Int64 = 1 << 20
}
