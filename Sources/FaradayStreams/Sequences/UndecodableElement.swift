internal import FaradayCoding
public import FaradayCore

/// An element of a stream that could not be decoded: an event's data, a line of JSON, a text of a JSON text sequence.
///
/// Its `description` quotes nothing of the element.
public struct UndecodableElement: FaradayError, CustomReflectable {
  /// The type that was to be decoded.
  public let type: String
  /// The number of the element in its stream, from 0; empty lines are not counted.
  public let index: Int
  /// The coding path of the value that is wrong: `items.0.name`; empty for the whole element.
  public let path: String
  /// Whether the element was cut off: a text of a JSON text sequence without the line feed at its end (RFC 7464, section 2.4).
  public let isTruncated: Bool
  /// The bytes of the element.
  public let data: Data
  /// The method and redacted URL of the request; nil if the elements were read from a response.
  public let request: RequestSummary?
  /// The error of the decoder, whose description may show values of the element.
  public let underlying: any Error
  private let summary: String

  init(
    _ underlying: any Error, decoding type: any Any.Type, from data: Data, index: Int, isTruncated: Bool = false,
    request: RequestSummary?
  ) {
    self.type = "\(type)"
    self.underlying = underlying
    self.data = data
    self.index = index
    self.isTruncated = isTruncated
    self.request = request
    let failure = DecodingFailure(underlying)
    path = failure.path
    summary = isTruncated ? "it is truncated" : failure.summary(of: "the element")
  }

  public var description: String { naming("cannot decode \(type) from element \(index) of the stream: \(summary)") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
