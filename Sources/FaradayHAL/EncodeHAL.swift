internal import FaradayCoding
public import FaradayCore
internal import FaradayRequests

/// Turns a body that is a ``Representation`` into `application/hal+json`.
///
///     try await connection.post("orders", body: .hal(Representation(properties: ["total": 30])))
///
/// It sets the `Content-Type` if the request has none, and passes every other body on. A representation that cannot be encoded
/// throws ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct EncodeHAL: Middleware {
  private let encoder: JSONEncoder

  /// Members stand in the order of their names, so that a representation is the same bytes each time.
  public init() { encoder = .sortingKeys }

  /// With an encoder of one's own, which nobody may change any more. Of it only the formatting counts.
  public init(encoder: JSONEncoder) { self.encoder = encoder }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard let representation = request.body.unencodedValue as? Representation else { return try await next(request) }
    var request = request
    let data = try request.encoding { try encoder.data(of: representation.json) }
    request.body = .data(data)
    request.headers.contentType(unlessSet: .hal)
    return try await next(request)
  }
}

extension Body {
  /// A representation, for ``EncodeHAL`` to turn into bytes.
  public static func hal(_ representation: Representation) -> Body { .unencoded(representation) }
}

extension Middleware where Self == EncodeHAL {
  /// Turns a body that is a representation into HAL.
  public static var encodeHAL: Self { Self() }

  /// Turns a body that is a representation into HAL.
  public static func encodeHAL(_ encoder: JSONEncoder) -> Self { Self(encoder: encoder) }
}
