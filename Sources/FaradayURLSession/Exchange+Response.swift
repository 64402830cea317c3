@_spi(Adapters) internal import FaradayCore
internal import Synchronization
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension Exchange {
  /// Waits for the head, and returns the response with a streamed body.
  func response() async throws -> Response {
    do {
      let head = try await head()
      return response(head, body: body(length: head.bodyLength(for: request)), stream: stream)
    } catch {
      fail(error)
      throw error
    }
  }

  /// Waits for the head.
  func head() async throws -> HTTPURLResponse {
    try await withUnsafeThrowingContinuation { continuation in
      let known: Result<Void, any Error>? = state.withLock { state in
        // If the exchange has failed after the head, the caller gets the response, and reading the body throws.
        if case .failure(let error) = state.outcome, error is CancellationError || state.head == nil { return state.outcome }
        if state.head != nil || state.outcome != nil { return .success(()) }
        state.headWaiter = continuation
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
    return try state.withLock { state in
      guard let head = state.head else { throw error(.malformedResponse, "URLSession completed without a response") }
      return head
    }
  }

  private func response(_ head: HTTPURLResponse, body: Body, stream: ResponseStream? = nil) -> Response {
    Response(
      status: HTTPResponse.Status(code: head.statusCode), headers: head.fields, body: body, url: request.url,
      version: .unknown, metrics: metrics, stream: stream)
  }

  /// The metrics that URLSession's delegate calls allow: first byte, total, and the sizes of the bodies.
  var metrics: TransferMetrics {
    state.withLock { state in
      TransferMetrics(
        firstByte: state.firstByte, total: state.ended.map { $0 - state.started }, bytesSent: state.sent,
        bytesReceived: state.received)
    }
  }

  // MARK: errors

  func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) -> TransportError {
    let (head, reached) = state.withLock { state -> (HTTPURLResponse?, TransportError.Phase) in
      if state.head != nil { return (state.head, .receiving) }
      return (nil, state.sent > 0 && state.sent < request.body.length ?? .max ? .sending : .waiting)
    }
    return TransportError(
      code, phase: phase ?? reached, method: request.method, url: request.url, secrets: request.secrets,
      message: message,
      partialResponse: head.map { response($0, body: .empty) })
  }

  /// Converts an error of URLSession to a ``FaradayCore/TransportError``.
  func failure(_ error: any Error) -> any Error {
    let code = (error as? URLError)?.code.rawValue ?? (error as NSError).code
    let text = ErrorTable.text(of: error)
    let hasHead = state.withLock { $0.head != nil }
    let meaning = ErrorTable.meaning(of: code, text: text, hasHead: hasHead)
    var failure = self.error(meaning.code, text, phase: meaning.phase)
    failure.engineCode = code
    return failure
  }

  func bodyFailure(_ error: any Error) -> any Error {
    var failure = self.error(.bodyUnreadable, "", phase: .sending)
    failure.setBodyFailure(error)
    return failure
  }
}

extension ContinuousClock.Instant {
  static var now: Self { ContinuousClock.now }
}
