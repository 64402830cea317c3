/// The methods of ``Promise``, with the progress kept.
extension ProgressablePromise {
  /// Waits for the outcome: see ``Promise/value``.
  public var value: Value { get async throws { try await promise.value } }

  /// Cancels the promise and its work: see ``Promise/cancel()``.
  public func cancel() { promise.cancel() }

  /// Transforms the value: see ``Promise/map(_:)``.
  public func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) -> ProgressablePromise<New> {
    with(promise.map(transform))
  }

  /// Continues with an asynchronous closure: see ``Promise/then(_:)``.
  public func then<New>(
    _ next: @escaping @Sendable @concurrent (Value) async throws -> New
  ) -> ProgressablePromise<New> {
    with(promise.then(next))
  }

  /// Continues with another promise: see ``Promise/flatMap(_:)``.
  public func flatMap<New>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> ProgressablePromise<New> {
    with(promise.flatMap(next))
  }

  /// Replaces an error by a value: see ``Promise/recover(_:)``.
  public func recover(
    _ recovery: @escaping @Sendable @concurrent (any Error) async throws -> Value
  ) -> ProgressablePromise {
    with(promise.recover(recovery))
  }

  /// Runs a side effect with the value: see ``Promise/tap(_:)``.
  public func tap(_ look: @escaping @Sendable (Value) -> Void) -> ProgressablePromise { with(promise.tap(look)) }

  /// Runs a closure in any case: see ``Promise/ensure(_:)``.
  public func ensure(_ cleanUp: @escaping @Sendable () -> Void) -> ProgressablePromise { with(promise.ensure(cleanUp)) }

  /// Limits the waiting time: see ``Promise/timeout(_:clock:)``.
  public func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> ProgressablePromise {
    with(promise.timeout(limit, clock: clock))
  }

  /// Calls the closure with the outcome: see `Promise.onComplete(on:_:)`.
  @discardableResult
  public func onComplete(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Promise<Value>.Outcome) -> Void
  ) -> ProgressablePromise {
    with(promise.onComplete(on: context, callback))
  }

  /// Calls the closure with the value: see `Promise.onSuccess(on:_:)`.
  @discardableResult
  public func onSuccess(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Value) -> Void
  ) -> ProgressablePromise {
    with(promise.onSuccess(on: context, callback))
  }

  /// Calls the closure with the error: see `Promise.onFailure(on:_:)`.
  @discardableResult
  public func onFailure(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (any Error) -> Void
  ) -> ProgressablePromise {
    with(promise.onFailure(on: context, callback))
  }

  /// Calls the closure with the outcome on the main actor.
  @discardableResult
  public func onComplete(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (Promise<Value>.Outcome) -> Void
  ) -> ProgressablePromise {
    with(promise.onComplete(on: context, callback))
  }

  /// Calls the closure with the value on the main actor.
  @discardableResult
  public func onSuccess(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (Value) -> Void
  ) -> ProgressablePromise {
    with(promise.onSuccess(on: context, callback))
  }

  /// Calls the closure with the error on the main actor.
  @discardableResult
  public func onFailure(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> ProgressablePromise {
    with(promise.onFailure(on: context, callback))
  }
}
