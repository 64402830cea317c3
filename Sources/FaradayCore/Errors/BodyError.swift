/// The error of a body that cannot be read, or whose bytes cannot be used as expected. It contains no byte of the body.
public struct BodyError: FaradayError, Hashable {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// The body is larger than the limit in bytes of ``Body/collect(upTo:)``, or of another call that collects it.
    case tooLarge(limit: Int)
    /// A line is longer than the limit in bytes.
    case lineTooLong(limit: Int)
    /// An element in a stream of JSON is larger than the limit in bytes, or has no end within it.
    case elementTooLarge(limit: Int)
    /// The body is empty where a value was expected.
    case empty
    /// The body is a value of this type that no middleware has encoded.
    case unencoded(type: String)
    /// The body is not valid text in the charset, such as `utf-8`, or the charset is not supported.
    case undecodableText(charset: String)
    /// The file of the body cannot be opened or read, is not a regular file, or does not report its size. The reason is the
    /// system's message, or the problem with the file.
    case unreadable(path: String, reason: String)
    /// A `LineSplitter` was called concurrently, or from its own handler.
    case splitterInUse
  }

  /// The reason of the error.
  public let reason: Reason

  /// An error with a reason.
  public init(_ reason: Reason) { self.reason = reason }

  /// Whether the body is larger than the limit.
  package var isTooLarge: Bool { if case .tooLarge = reason { true } else { false } }
  /// Whether the file of the body cannot be read.
  package var isUnreadable: Bool { if case .unreadable = reason { true } else { false } }

  public var description: String {
    switch reason {
    case .tooLarge(let limit): "the body is larger than the limit of \(limit) bytes"
    case .lineTooLong(let limit): "a line is longer than the limit of \(limit) bytes"
    case .elementTooLarge(let limit): "an element of the stream is larger than the limit of \(limit) bytes"
    case .empty: "the body is empty"
    case .unencoded(let type): "the body is a value of type \(type) that no middleware has encoded; add an encoding middleware"
    case .undecodableText(let charset):
      "the body cannot be decoded as text with the charset \(String(charset.prefix(40)).debugDescription)"
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .splitterInUse: "the line splitter is in use: it must not be called concurrently or from its own handler"
    }
  }
}
