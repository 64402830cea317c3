import Faraday
import FoundationEssentials

// The adapter of Sources/FaradayCore/FaradayCore.docc/WritingAnAdapter.md, each part as it stands there.

struct EchoAdapter: Adapter {
  let capabilities: Capabilities = [
    .customMethods, .bodyOnGet, .streamedUpload, .streamedDownload, .chunkCallback, .headCallback,
  ]

  func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "EchoAdapter")
    guard request.body.unencodedValue == nil else {
      throw TransportError(.invalidBody, building: request, "the body is a value that nobody has encoded")
    }
    let head = HTTPResponse(status: .ok, headerFields: request.headers.filter { $0.name == .contentType })
    try request.options.onHead?(head)
    return Response(
      status: head.status, headers: head.headerFields, body: try await deliver(Echo(request: request)), url: request.url,
      version: .unknown)
  }

  private func deliver(_ echo: Echo) async throws -> Body {
    let options = echo.request.options
    if options.onChunk == nil, options.delivery == .streamed { return .stream(echo) }
    var whole = Data()
    for try await piece in echo {
      if let onChunk = options.onChunk {
        guard try onChunk(piece.span.bytes) == .continue else { throw CancellationError() }
      } else if whole.count + piece.count > options.maximumBodySize {
        throw echo.error(.bodyTooLarge, phase: .receiving, "the body is larger than \(options.maximumBodySize) bytes")
      } else {
        whole.append(piece)
      }
    }
    return .data(whole)
  }
}

/// What comes back: the request's body, with an adapter's errors.
struct Echo: AsyncSequence, Sendable {
  let request: Request

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(echo: self, pieces: request.body.makeAsyncIterator()) }

  struct AsyncIterator: AsyncIteratorProtocol {
    let echo: Echo
    var pieces: Body.AsyncIterator

    mutating func next() async throws -> Data? {
      try Task.checkCancellation()
      do {
        return try await pieces.next()
      } catch let failure where !(failure is CancellationError) {
        throw echo.error(.bodyUnreadable, phase: .sending, "the request's body failed: \(type(of: failure))", underlying: failure)
      }
    }
  }

  func error(
    _ code: TransportError.Code, phase: TransportError.Phase, _ message: String, underlying: (any Error)? = nil
  ) -> TransportError {
    TransportError(
      code, phase: phase, method: request.method, url: request.url, message: message, underlying: underlying)
  }
}
