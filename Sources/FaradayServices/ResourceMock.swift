internal import FaradayCoding
public import FaradayCore
internal import FaradayRequests

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

  /// The mock response. Throws ``UnusableMock``, and what reading the file throws.
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
      } catch let error as BodyFile.Unreadable {
        throw UnusableMock(path, error.reason, for: request)
      }
      guard !data.isEmpty else { throw UnusableMock(path, "it is empty", for: request) }
      return data
    }
  }
}

/// A mock's file that cannot be read or is empty. No request was sent instead.
public struct UnusableMock: FaradayError {
  /// The path of the file.
  public let path: String
  private let reason: String
  /// The request that was to be answered.
  public let request: RequestSummary?

  init(_ path: String, _ reason: String, for request: Request) {
    self.path = path
    self.reason = reason
    self.request = RequestSummary(request)
  }

  public var description: String { naming("the mock \(path) cannot be used: \(reason)") }
}

/// Answers requests that have a mock.
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
