public import FaradayCoding
public import FaradayCore

/// Encodes a request body that is an `Encodable` value as `application/x-www-form-urlencoded`.
///
/// It encodes a body if the request's `Content-Type` is this type or absent, and sets the field if absent. All other requests
/// are passed on. After ``JSONEncoding``, which encodes the requests without a `Content-Type`, it encodes only requests with
/// this type. A value that cannot be encoded throws ``FaradayCoding/BodyEncodingError``, and nothing is sent.
public struct FormEncoding: RequestTransformer {
  private let encoder: QueryEncoder

  /// Creates the middleware with an encoder.
  public init(encoder: QueryEncoder = QueryEncoder()) { self.encoder = encoder }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard let value = request.body.unencodedValue as? any Encodable else { return request }
    let hasType = request.headers[.contentType] != nil
    guard !hasType || request.headers.contentType == .form else { return request }
    var request = request
    let form = try request.encoding { try encoder.encode(value) }
    request.body = .text(form.description)
    if !hasType { request.headers[.contentType] = MediaType.form.description }
    return request
  }
}

extension Middleware where Self == FormEncoding {
  /// Encodes a body that is a value as a URL-encoded form.
  public static var formEncoding: Self { Self() }

  /// Encodes a body that is a value as a URL-encoded form, with this encoder.
  public static func formEncoding(_ encoder: QueryEncoder) -> Self { Self(encoder: encoder) }
}
