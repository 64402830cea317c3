import Faraday
import Synchronization

/// What the work comes to: on this thread where it never waits for anything, as a stack over ``Answering`` does not.
func immediately<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Result<Value, any Error> {
  let outcome = Outcome<Value>()
  Task.immediate {
    do { outcome.value = .success(try await work()) } catch { outcome.value = .failure(error) }
  }
  while true { if let value = outcome.value { return value } }
}

private final class Outcome<Value: Sendable>: Sendable {
  private let state = Mutex<Result<Value, any Error>?>(nil)
  var value: Result<Value, any Error>? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// An adapter that answers each request with what the closure makes of it, at once.
struct Answering: Adapter {
  let capabilities = Capabilities.all
  let answer: @Sendable (Request) -> Response

  init(_ answer: @escaping @Sendable (Request) -> Response) { self.answer = answer }

  func send(_ request: Request) async throws -> Response { answer(request) }
}

/// What was seen on the way, in order.
final class Seen<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  var all: [Element] { state.withLock { $0 } }
  func append(_ element: Element) { state.withLock { $0.append(element) } }
}
