internal import Synchronization

/// A promise that says how far its work is.
///
///     let upload = client.upload(request)
///     upload.progress { progress in print(progress.fraction ?? 0) }
///     let reply = try await upload.map(\.value).value
///
/// A handler that comes late is told the last that was said. What is made of the promise by `map`, `then` and the others keeps its
/// progress.
public struct ProgressablePromise<Value: Sendable>: Sendable {
  /// The promise without its progress: everything a ``Promise`` can do.
  public let promise: Promise<Value>
  private let reports: Reports

  init(_ promise: Promise<Value>, _ reports: Reports) {
    self.promise = promise
    self.reports = reports
  }

  /// A promise for what the closure returns; it says how far it is by calling `report`. Begins at once, in a task of its own.
  public init(
    _ work: @escaping @Sendable @concurrent (_ report: @escaping @Sendable (PromiseProgress) -> Void) async throws -> Value
  ) {
    let reports = Reports()
    self.init(Promise { try await work { reports.say($0) } }, reports)
    promise.tell(waits: false) { _ in reports.end() }
  }

  /// A promise that has nothing to say of its progress.
  public init(_ promise: Promise<Value>) {
    self.init(promise, Reports())
    reports.end()
  }

  /// Calls the closure as the work goes on, one call at a time and in order, as far as the context keeps it; at first with the last
  /// that was said, if there was something. Returns the same promise.
  @discardableResult
  public func progress(
    on context: CallbackContext = .immediate, _ handler: @escaping @Sendable (PromiseProgress) -> Void
  ) -> ProgressablePromise {
    reports.add { progress in context.run { handler(progress) } }
    return self
  }

  func with<New>(_ promise: Promise<New>) -> ProgressablePromise<New> { ProgressablePromise<New>(promise, reports) }
}

/// How far something is.
public struct PromiseProgress: Sendable, Hashable {
  /// Bytes so far.
  public var bytes: Int64
  /// Bytes in all, if known before the end.
  public var total: Int64?

  public init(bytes: Int64, total: Int64?) {
    self.bytes = bytes
    self.total = total
  }

  /// From 0 to 1; nil while the total is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? Double(bytes) / Double(total) : 1
  }
}

/// What was said, and who listens.
final class Reports: Sendable {
  typealias Handler = @Sendable (PromiseProgress) -> Void

  private let state = Mutex(State())

  private struct State {
    var last: PromiseProgress?
    var handlers: [Handler] = []
    var hasEnded = false
    var calls: [@Sendable () -> Void] = []
    var isCalling = false
  }

  func say(_ progress: PromiseProgress) {
    call { state in
      state.last = progress
      return state.handlers.map { handler in { handler(progress) } }
    }
  }

  func add(_ handler: @escaping Handler) {
    call { state in
      if !state.hasEnded { state.handlers.append(handler) }
      return state.last.map { last in [{ handler(last) }] } ?? []
    }
  }

  /// Handlers are let go of; the last that was said stays.
  func end() {
    // They go when the lock is no longer held: with them may go the last of something that has a promise.
    _ = state.withLock { state in
      state.hasEnded = true
      defer { state.handlers = [] }
      return state.handlers
    }
  }

  /// Makes the calls in the order in which they came up, without the lock: whoever finds nobody calling calls for all.
  private func call(_ newCalls: (inout State) -> [@Sendable () -> Void]) {
    var mayCall = state.withLock { state in
      state.calls += newCalls(&state)
      defer { state.isCalling = true }
      return !state.isCalling
    }
    while mayCall {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        guard !state.calls.isEmpty else {
          state.isCalling = false
          return nil
        }
        return state.calls.removeFirst()
      }
      next?()
      mayCall = next != nil
    }
  }
}
