import Faraday
import FaradayTesting
import Synchronization

/// An adapter whose requests wait until a test answers them, or their task is cancelled.
final class HeldAdapter: Adapter {
  private struct State {
    var requests: [Request] = []
    var held: [Int: CheckedContinuation<Response, any Error>] = [:]
    var cancelled: [Int] = []
    var mostHeld = 0
  }

  let capabilities = Capabilities.all
  private let state = Mutex(State())

  /// All requests that were sent.
  var requests: [Request] { state.withLock { $0.requests } }
  var heldCount: Int { state.withLock { $0.held.count } }
  /// The most that were held at the same time.
  var mostHeld: Int { state.withLock { $0.mostHeld } }
  /// The numbers of requests that were cancelled, from 0.
  var cancelled: [Int] { state.withLock { $0.cancelled } }

  func send(_ request: Request) async throws -> Response {
    let number = state.withLock { state in
      state.requests.append(request)
      return state.requests.count - 1
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard !Task.isCancelled else { return true }
          state.held[number] = continuation
          state.mostHeld = max(state.mostHeld, state.held.count)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let continuation = state.held.removeValue(forKey: number)
        if continuation != nil { state.cancelled.append(number) }
        return continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Answers a request with this status, when it has come.
  func answer(_ number: Int, _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .empty) async {
    await held(number)
    let url = requests[number].url
    take(number)?.resume(returning: Response(status: status, headers: headers, body: body, url: url))
  }

  /// Fails a request, when it has come.
  func fail(_ number: Int, _ code: TransportError.Code = .connectionClosed) async {
    await held(number)
    take(number)?.resume(throwing: TransportError(code, building: requests[number], ""))
  }

  /// Waits until the request is held.
  func held(_ number: Int) async { await until { state.withLock { $0.held[number] != nil } } }

  /// Answers all that are held.
  func answerAll() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return state.held.map { (state.requests[$0.key], $0.value) }
    }
    for (request, continuation) in held { continuation.resume(returning: Response(status: .ok, url: request.url)) }
  }

  private func take(_ number: Int) -> CheckedContinuation<Response, any Error>? {
    state.withLock { $0.held.removeValue(forKey: number) }
  }
}

/// Responds over a ``MockAdapter`` with the closure's result for the request and its number, from 0.
func mock(_ answer: @escaping @Sendable (Request, Int) async throws -> Response) -> MockAdapter {
  let mock = MockAdapter()
  let count = Mutex(0)
  mock.stub { request in
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    return try await answer(request, number)
  }
  return mock
}

func mock(_ statuses: HTTPResponse.Status..., headers: HTTPFields = [:]) -> MockAdapter {
  mock { request, number in
    Response(status: statuses[min(number, statuses.count - 1)], headers: headers, url: request.url)
  }
}
