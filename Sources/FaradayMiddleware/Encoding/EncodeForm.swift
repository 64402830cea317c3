public import FaradayCoding
public import FaradayCore

/// Turns a body that is still a value into `application/x-www-form-urlencoded`.
///
/// It acts where the request's `Content-Type` is that or absent, sets it if absent, and passes everything else on: behind
/// ``EncodeJSON``, which takes the requests without a type, it acts for those that say it. A value that cannot be encoded throws
/// ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct EncodeForm: Middleware {
  private let encoder: QueryEncoder

  public init(encoder: QueryEncoder = QueryEncoder()) { self.encoder = encoder }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let type = request.headers[.contentType]
    guard let value = request.body.unencodedValue as? any Encodable, type == nil || request.headers.contentType == .form else {
      return try await next(request)
    }
    var request = request
    let form = try request.encoding { try encoder.encode(value) }
    request.body = .text(form.description)
    if type == nil { request.headers[.contentType] = MediaType.form.description }
    return try await next(request)
  }
}

extension Middleware where Self == EncodeForm {
  /// Turns a body that is still a value into a form.
  public static var encodeForm: Self { Self() }

  /// Turns a body that is still a value into a form.
  public static func encodeForm(_ encoder: QueryEncoder) -> Self { Self(encoder: encoder) }
}
