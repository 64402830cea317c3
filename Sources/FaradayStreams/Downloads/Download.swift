public import FaradayCore

/// A complete download: the file has its final name, and its checksums are right.
public struct Download: Sendable, CustomStringConvertible, CustomReflectable {
  /// The path of the file.
  public let path: String
  /// Its size in bytes.
  public let size: Int64
  /// How many of its bytes an earlier download had written.
  public let resumed: Int64
  /// How many times the transfer was interrupted and went on, or started again.
  public let interruptions: Int
  /// The hash functions by which it was verified: against the caller's checksum, `Repr-Digest` or `Content-Digest`. Empty if
  /// nobody has stated a checksum.
  public let verified: Set<Checksum.Algorithm>
  /// The head of the last response, such as a 206, with an empty body.
  public let response: Response

  public var description: String { "\(path.debugDescription.bounded()): \(size) bytes, \(resumed) of them resumed" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
