public import FaradayCore

/// Makes promises of the asynchronous calls of a value: a connection, a client, or a resource of a service.
///
///     connection.promise { try await $0.get("users") }.onSuccess { response in print(response.status) }
///     connection.promise { try await $0.perform(upload, onProgress: $1) }.progress { print($0.fraction ?? 0) }
///
/// The closure starts at once, in a new task. Cancelling the promise cancels the task. The closure's result or error becomes
/// the outcome.
public struct Promising<Caller: Sendable>: Sendable {
  package let caller: Caller

  package init(_ caller: Caller) { self.caller = caller }

  /// Starts the closure, and returns a promise of its result.
  @discardableResult
  public func callAsFunction<Value>(
    _ work: @escaping @Sendable @concurrent (_ caller: Caller) async throws -> Value
  ) -> Promise<Value> {
    Promise { [caller] in try await work(caller) }
  }

  /// Starts the closure, and returns a promise that reports the progress that the closure passes to `report`.
  @discardableResult
  public func callAsFunction<Value>(
    _ work: @escaping @Sendable @concurrent (_ caller: Caller, _ report: @escaping ProgressHandler) async throws -> Value
  ) -> Promise<Value> {
    Promise(reporting: { [caller] report in try await work(caller, report) })
  }
}

extension Connection {
  /// The connection as the source of promises: `connection.promise { try await $0.get("users") }`.
  public var promise: Promising<Connection> { Promising(self) }
}
