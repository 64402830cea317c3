public import FaradayCore

/// An element of a stream of JSON is larger than the limit, or has no end within it.
public struct ElementTooLarge: FaradayError, Equatable {
  /// The limit in bytes.
  public let limit: Int

  /// An element over this limit in bytes.
  public init(limit: Int) { self.limit = limit }

  public var description: String { "an element of the stream is larger than the limit of \(limit) bytes" }
}
