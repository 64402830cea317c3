internal import FaradayCoding
public import FaradayCore
internal import FaradayRequests

/// Encodes a request body that is a ``Representation`` as `application/hal+json`.
///
///     try await connection.post("orders", body: .hal(Representation(properties: ["total": 30])))
///
/// It sets the `Content-Type` if the request has none, and passes on every other body. A representation that cannot be encoded
/// throws ``FaradayCoding/BodyEncodingError``, and nothing is sent.
public struct HALEncoding: RequestTransformer {
  private let encoder: JSONEncoder

  /// Creates the middleware. Members are sorted by name, so that equal representations have equal bytes.
  public init() { encoder = .sortingKeys }

  /// Creates the middleware with an encoder, which must not be changed afterwards. Only its `outputFormatting` applies.
  public init(encoder: JSONEncoder) { self.encoder = encoder }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard let representation = request.body.unencodedValue as? Representation else { return request }
    var request = request
    let data = try request.encoding { try encoder.data(of: representation.json) }
    request.body = .data(data)
    request.headers.setContentType(ifMissing: .hal)
    return request
  }
}

extension Body {
  /// A representation; the ``FaradayHAL/HALEncoding`` middleware encodes it.
  public static func hal(_ representation: Representation) -> Body { .unencoded(representation) }
}

extension Middleware where Self == HALEncoding {
  /// Encodes a body that is a representation as HAL, members sorted by name.
  public static var halEncoding: Self { Self() }

  /// Encodes a body that is a representation as HAL, with this encoder.
  public static func halEncoding(_ encoder: JSONEncoder) -> Self { Self(encoder: encoder) }
}
