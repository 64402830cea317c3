public import FaradayCoding
public import FaradayCore

/// Turns a form with files, and a value that is to be sent as one, into `multipart/form-data`.
///
/// It acts on ``FaradayCoding/MultipartForm`` always, and on any other value where the request's `Content-Type` is
/// `multipart/form-data`, or absent and nobody before has encoded it. It sets `Content-Type` in any case, as the boundary in it
/// has to be the body's. A value that cannot be encoded, or a file that cannot be read, throws
/// ``FaradayCoding/UnencodableBody``, and nothing is sent.
public struct Multipart: Middleware {
  private let encoder: MultipartFormEncoder

  public init(encoder: MultipartFormEncoder = MultipartFormEncoder()) { self.encoder = encoder }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard let form = try form(of: request) else { return try await next(request) }
    var request = request
    request.body = form.body
    request.headers[.contentType] = form.contentType.description
    return try await next(request)
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
  /// Turns a form with files into `multipart/form-data`.
  public static var multipart: Self { Self() }

  /// Turns a form with files into `multipart/form-data`.
  public static func multipart(_ encoder: MultipartFormEncoder) -> Self { Self(encoder: encoder) }
}
