public import FaradayCoding
public import FaradayCore

/// Encodes a request body that is an `Encodable` value as `application/x-www-form-urlencoded`.
///
/// It encodes if the request's `Content-Type` is that or absent, sets it if absent, and passes all other requests on. Behind
/// ``EncodeJSON``, which encodes the requests without a `Content-Type`, it encodes those that have this one. A value that
/// cannot be encoded throws ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct EncodeForm: RequestTransformer {
  private let encoder: QueryEncoder

  /// Uses this encoder.
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

extension Middleware where Self == EncodeForm {
  /// Encodes a body that is a value as a URL-encoded form.
  public static var encodeForm: Self { Self() }

  /// Encodes a body that is a value as a URL-encoded form, with this encoder.
  public static func encodeForm(_ encoder: QueryEncoder) -> Self { Self(encoder: encoder) }
}
