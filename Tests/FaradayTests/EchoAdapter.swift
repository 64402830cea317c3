@_spi(Adapters) import Faraday
import FoundationEssentials

// The adapter of Sources/FaradayCore/FaradayCore.docc/WritingAnAdapter.md, each part as it stands there.

struct EchoAdapter: Adapter {
  let capabilities: Capabilities = [.customMethods, .bodyOnGet, .streamedUpload, .streamedDownload]

  func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "EchoAdapter")
    let type = request.headers.filter { $0.name == .contentType }
    return Response(
      status: .ok, headers: HTTPFields(type), body: .stream(Echo(request: request)), url: request.url, version: .unknown)
  }
}

/// Returns the request's body, with an adapter's errors.
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

extension Capabilities {
  static let priorities = Capabilities("example.priorities")
}
