public import FaradayCore

/// A request whose body is a value that could not be encoded. Nothing was sent.
public struct UnencodableBody: FaradayError, CustomReflectable {
  /// The type of the value.
  public let type: String
  /// Where in the value it went wrong: `user.tags.2`; empty for the value itself.
  public let path: String
  /// What the encoder, or the value itself, threw. Its text may show values.
  public let underlying: any Error
  /// Nil where the value was encoded before there was a request.
  public let request: RequestSummary?
  private let reason: String

  /// - Parameter request: nil where the value was encoded before there was one.
  public init(_ underlying: any Error, encoding value: Any, of request: Request?) {
    type = "\(Swift.type(of: value))"
    self.underlying = underlying
    self.request = request.map { RequestSummary($0) }
    let failure = EncodingFailure(underlying)
    path = failure.path
    reason = failure.reason
  }

  public var description: String {
    naming("the body, a \(type), cannot be encoded\(path.isEmpty ? "" : " at \(path)"): \(reason)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Request {
  /// Runs the encoding of the body's value; what it throws gets the request's name.
  package func encoding<Encoded>(_ encode: () throws -> Encoded) throws -> Encoded {
    do { return try encode() } catch { throw UnencodableBody(error, encoding: body.unencodedValue ?? (), of: self) }
  }
}

extension [any CodingKey] {
  /// `user.tags.2`. A log shows it, and a key may come from anywhere: nothing in it may end the line.
  package var dotted: String {
    map { $0.intValue.map(String.init) ?? String($0.stringValue.debugDescription.dropFirst().dropLast()) }.joined(separator: ".")
      .bounded()
  }
}
