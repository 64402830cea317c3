internal import FaradayCoding
public import FaradayCore

/// Encodes a request body that is an `Encodable` value as JSON.
///
///     try await connection.post("users", body: .encodable(User(name: "Ada")))
///     try await connection.post("users", body: .encodable(["name": "Ada"] as JSONValue))
///
/// It encodes a body if the request's `Content-Type` is JSON or absent, and sets the field if absent. All other requests are
/// passed on. ``FaradayCoding/JSONValue`` has its own writer, which uses only the `outputFormatting` of the encoder. A value
/// that cannot be encoded throws ``FaradayCoding/BodyEncodingError``, and nothing is sent.
public struct JSONEncoding: RequestTransformer {
  private let encoder: JSONEncoder?

  /// Creates the middleware. It encodes with the ``FaradayCore/Options/jsonEncoder`` of the request. By default members are
  /// sorted by name, so that equal values have equal bytes.
  public init() { encoder = nil }

  /// Creates the middleware with an encoder, which must not be changed afterwards.
  public init(encoder: JSONEncoder) { self.encoder = encoder }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard let value = request.body.unencodedValue as? any Encodable else { return request }
    let hasType = request.headers[.contentType] != nil
    guard !hasType || request.headers.contentType?.isJSON == true else { return request }
    var request = request
    let encoder = encoder ?? request.options.jsonEncoder ?? .sortingKeys
    request.body = .data(try request.encoding { try encoder.data(of: value) })
    if !hasType { request.headers[.contentType] = MediaType.json.description }
    return request
  }
}

extension Middleware where Self == JSONEncoding {
  /// Encodes a body that is a value as JSON, members sorted by name.
  public static var jsonEncoding: Self { Self() }

  /// Encodes a body that is a value as JSON, with this encoder.
  public static func jsonEncoding(_ encoder: JSONEncoder) -> Self { Self(encoder: encoder) }
}
