internal import FaradayCoding
public import FaradayCore

/// Turns a body that is still a value into JSON.
///
///     try await connection.post("users", body: .value(User(name: "Ada")))
///     try await connection.post("users", body: .value(["name": "Ada"] as JSONValue))
///
/// A ``FaradayCoding/JSONValue`` is written as it is: of the encoder only the formatting counts. It acts where the request's `Content-Type` is JSON or absent, sets it if absent, and passes everything else on. A value that
/// cannot be encoded throws ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct EncodeJSON: Middleware {
  private let encoder: JSONEncoder

  /// Members stand in the order of their names, so that a value is the same bytes each time.
  public init() { encoder = .sortingKeys }

  /// With an encoder of one's own, which nobody may change any more.
  public init(encoder: JSONEncoder) { self.encoder = encoder }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard let value = request.body.unencodedValue as? any Encodable else { return try await next(request) }
    let hasType = request.headers[.contentType] != nil
    guard !hasType || request.headers.contentType?.isJSON == true else { return try await next(request) }
    var request = request
    let data = try request.encoding { try encoder.data(of: value) }
    request.body = .data(data)
    if !hasType { request.headers[.contentType] = MediaType.json.description }
    return try await next(request)
  }
}

extension Middleware where Self == EncodeJSON {
  /// Turns a body that is still a value into JSON.
  public static var encodeJSON: Self { Self() }

  /// Turns a body that is still a value into JSON.
  public static func encodeJSON(_ encoder: JSONEncoder) -> Self { Self(encoder: encoder) }
}
