/// Asks for a compressed response (gzip, deflate, and br and zstd where the engine has them) and decodes it.
///
/// The response keeps its header fields as they were received: `Content-Encoding` names what was decoded and
/// `Content-Length`, if any, counts the encoded bytes. Both limits guard against a small response that grows without end;
/// over either the transfer fails with ``TransportError/Code/decompressionLimit``.
///
/// Where the body ends is said by its framing, as without a coding, and a body whose framing is cut off fails. Whether the coding is
/// at its end there too is not looked at: compressed data that a server, or something in between, cut off and framed as if it were
/// all gives what could be decoded of it, and no error.
public struct Decompression: Sendable, Hashable {
  /// The largest decoded body, in bytes. 1 GiB by default. (Buffered delivery has ``Options/maximumBodySize`` besides.)
  public var maximumSize: Int64
  /// The most decoded bytes per received byte, looked at once the body is over 1 MiB. 200 by default.
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
