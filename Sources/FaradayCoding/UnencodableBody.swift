public import FaradayCore

/// A value that could not be encoded as a request's body. Nothing was sent.
public struct UnencodableBody: FaradayError, CustomReflectable {
  /// The type of the value.
  public let type: String
  /// The coding path of the value that is wrong: `user.tags.2`; empty for the whole value.
  public let path: String
  /// The error of the encoder, or of the value itself. Its description may show values.
  public let underlying: any Error
  /// The request; nil if the value was encoded before there was one.
  public let request: RequestSummary?
  private let reason: String

  /// - Parameter request: nil if the value was encoded before there was one.
  public init(_ underlying: any Error, encoding value: Any, of request: Request?) {
    type = "\(Swift.type(of: value))"
    self.underlying = underlying
    self.request = request.map { RequestSummary($0) }
    let failure = EncodingFailure(underlying)
    path = failure.path
    reason = failure.reason
  }

  public var description: String {
    naming("cannot encode \(type) as the body\(path.isEmpty ? "" : ", at `\(path)`"): \(reason)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Request {
  /// Runs the encoding of the body's value; an error contains the request.
  package func encoding<Encoded>(_ encode: () throws -> Encoded) throws -> Encoded {
    do { return try encode() } catch { throw UnencodableBody(error, encoding: body.unencodedValue ?? (), of: self) }
  }
}

extension [any CodingKey] {
  /// The coding path `user.tags.2`, escaped, as keys may come from the network and logs show them.
  package var dotted: String {
    map { $0.intValue.map(String.init) ?? String($0.stringValue.debugDescription.dropFirst().dropLast()) }.joined(separator: ".")
      .bounded()
  }
}
