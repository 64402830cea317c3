public import FaradayCore

/// A complete download: the file has its final name, and its checksums match.
public struct Download: Sendable, CustomStringConvertible, CustomReflectable {
  /// The path of the file.
  public let path: String
  /// Its size in bytes.
  public let size: Int64
  /// The number of its bytes that an earlier download had written.
  public let resumed: Int64
  /// The number of interruptions after which the transfer resumed or started again.
  public let interruptions: Int
  /// The hash functions that verified it: against the caller's checksum, `Repr-Digest` or `Content-Digest`. Empty if there was
  /// no checksum.
  public let verified: Set<Checksum.Algorithm>
  /// The head of the last response, such as a 206, with an empty body.
  public let response: Response

  public var description: String { "\(path.debugDescription.bounded()): \(size) bytes, \(resumed) of them resumed" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
