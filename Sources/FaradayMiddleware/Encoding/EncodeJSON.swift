internal import FaradayCoding
public import FaradayCore

/// Encodes a request body that is an `Encodable` value as JSON.
///
///     try await connection.post("users", body: .value(User(name: "Ada")))
///     try await connection.post("users", body: .value(["name": "Ada"] as JSONValue))
///
/// It encodes if the request's `Content-Type` is JSON or absent, sets it if absent, and passes all other requests on. A
/// ``FaradayCoding/JSONValue`` is written by its own writer: of the encoder only `outputFormatting` applies to it. A value that
/// cannot be encoded throws ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct EncodeJSON: RequestTransformer {
  private let encoder: JSONEncoder

  /// Sorts members by name, so that equal values have equal bytes.
  public init() { encoder = .sortingKeys }

  /// Uses this encoder, which must not be changed afterwards.
  public init(encoder: JSONEncoder) { self.encoder = encoder }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard let value = request.body.unencodedValue as? any Encodable else { return request }
    let hasType = request.headers[.contentType] != nil
    guard !hasType || request.headers.contentType?.isJSON == true else { return request }
    var request = request
    request.body = .data(try request.encoding { try encoder.data(of: value) })
    if !hasType { request.headers[.contentType] = MediaType.json.description }
    return request
  }
}

extension Middleware where Self == EncodeJSON {
  /// Encodes a body that is a value as JSON, members sorted by name.
  public static var encodeJSON: Self { Self() }

  /// Encodes a body that is a value as JSON, with this encoder.
  public static func encodeJSON(_ encoder: JSONEncoder) -> Self { Self(encoder: encoder) }
}
