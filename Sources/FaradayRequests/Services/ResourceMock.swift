internal import FaradayCoding
public import FaradayCore

/// A mock response of a resource, which is returned without sending a request.
public struct ResourceMock: Sendable {
  enum Content {
    case file(String)
    case data(Data)
  }

  private let content: Content
  private let status: HTTPResponse.Status
  private let headers: HTTPFields

  init(_ content: Content, status: HTTPResponse.Status, headers: HTTPFields) {
    self.content = content
    self.status = status
    var headers = headers
    if case .file(let path) = content { headers.setContentType(ifMissing: MediaType(extensionOf: path)) }
    self.headers = headers
  }

  /// Returns the mock response. Throws ``FaradayCore/InvalidValueError``, and the errors of reading the file.
  public func response(to request: Request) async throws -> Response {
    try await Response(status: status, headers: headers, body: .data(bytes(for: request)), url: request.url)
  }

  private func bytes(for request: Request) async throws -> Data {
    switch content {
    case .data(let data): return data
    case .file(let path):
      let data: Data
      do {
        data = try await Body.file(path).collect(upTo: request.options.maximumBodySize)
      } catch let error as BodyError {
        guard case .unreadable(_, let reason) = error.reason else { throw error }
        throw InvalidValueError(.mockFile, path, reason, request: RequestSummary(request))
      }
      guard !data.isEmpty else {
        throw InvalidValueError(.mockFile, path, "it is empty", request: RequestSummary(request))
      }
      return data
    }
  }
}

/// Returns mock responses for requests that have a mock.
struct Mocks: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    guard let mock = request.options.mock else { return try await next(request) }
    return try await mock.response(to: request)
  }
}

/// Runs a middleware for requests that have no mock.
struct UnlessMocked: Middleware {
  let middleware: any Middleware

  func handle(_ request: Request, next: Next) async throws -> Response {
    guard request.options.mock == nil else { return try await next(request) }
    return try await middleware.handle(request, next: next)
  }
}
