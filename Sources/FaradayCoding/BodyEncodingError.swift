public import FaradayCore

/// The error for a value that could not be encoded as a request's body or query. Nothing is sent.
public struct BodyEncodingError: FaradayError, CustomReflectable {
  /// The type of the value.
  public let type: String
  /// The coding path of the invalid value: `user.tags.2`; empty for the whole value.
  public let path: String
  /// The error of the encoder, or of the value itself. Its description may show values.
  public let underlying: any Error
  /// The request; nil if the value was encoded before the request was built.
  public private(set) var request: RequestSummary?
  private let reason: String
  private let part: Part

  /// The part of a request that a value is encoded as.
  package enum Part: String, Sendable { case body, query }

  /// - Parameter request: nil if the value was encoded before the request was built.
  public init(_ underlying: any Error, encoding value: Any, of request: Request?) {
    self.init(underlying, encoding: value, as: .body, of: request.map { RequestSummary($0) })
  }

  package init(_ underlying: any Error, encoding value: Any, as part: Part, of request: RequestSummary?) {
    type = "\(Swift.type(of: value))"
    self.underlying = underlying
    self.request = request
    self.part = part
    let failure = EncodingFailure(underlying)
    path = failure.path
    reason = failure.reason
  }

  /// The error with this request, unless it already has a request.
  package func naming(_ request: Request) -> BodyEncodingError {
    var named = self
    named.request = self.request ?? RequestSummary(request)
    return named
  }

  public var description: String {
    naming("cannot encode \(type) as the \(part.rawValue)\(path.isEmpty ? "" : ", at `\(path)`"): \(reason)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Request {
  /// Encodes the body's value. Adds the request to an error.
  package func encoding<Encoded>(_ encode: () throws -> Encoded) throws -> Encoded {
    do { return try encode() } catch { throw BodyEncodingError(error, encoding: body.unencodedValue ?? (), of: self) }
  }
}

extension [any CodingKey] {
  /// The coding path `user.tags.2`, escaped, because keys may come from the network and logs show them.
  package var dotted: String {
    map { $0.intValue.map(String.init) ?? String($0.stringValue.debugDescription.dropFirst().dropLast()) }.joined(separator: ".")
      .bounded()
  }
}
