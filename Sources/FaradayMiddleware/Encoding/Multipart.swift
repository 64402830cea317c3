public import FaradayCoding
public import FaradayCore

/// Encodes a request body as `multipart/form-data` (RFC 7578): a ``FaradayCoding/MultipartForm``, or an `Encodable` value.
///
/// A ``FaradayCoding/MultipartForm`` is always encoded. Any other value is encoded if the request's `Content-Type` is
/// `multipart/form-data`, or absent and no middleware before has encoded the value. The `Content-Type` is replaced in any case,
/// because its boundary must match the body. A value that cannot be encoded, or a file that cannot be read, throws
/// ``FaradayCoding/BodyEncodingError``, and nothing is sent.
public struct Multipart: RequestTransformer {
  private let encoder: MultipartFormEncoder

  /// Creates the middleware with an encoder.
  public init(encoder: MultipartFormEncoder = MultipartFormEncoder()) { self.encoder = encoder }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard let form = try form(of: request) else { return request }
    var request = request
    request.body = form.body
    request.headers[.contentType] = form.contentType.description
    return request
  }

  private func form(of request: Request) throws -> MultipartForm? {
    let value = request.body.unencodedValue
    if let form = value as? MultipartForm { return form }
    guard let value = value as? any Encodable,
      request.headers[.contentType] == nil || request.headers.contentType == .multipartForm
    else { return nil }
    return try request.encoding { try encoder.encode(value) }
  }
}

extension Middleware where Self == Multipart {
  /// Encodes a form with files as `multipart/form-data`.
  public static var multipart: Self { Self() }

  /// Encodes a form with files as `multipart/form-data`, with this encoder.
  public static func multipart(_ encoder: MultipartFormEncoder) -> Self { Self(encoder: encoder) }
}
