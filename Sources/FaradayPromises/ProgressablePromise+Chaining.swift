/// What a ``Promise`` can do, with the progress kept.
extension ProgressablePromise {
  /// Waits for the outcome, as ``Promise/value`` does.
  public var value: Value { get async throws { try await promise.value } }

  /// Cancels the work, as ``Promise/cancel()`` does.
  public func cancel() { promise.cancel() }

  /// As ``Promise/map(_:)``.
  public func map<New>(_ transform: @escaping @Sendable (Value) throws -> New) -> ProgressablePromise<New> {
    with(promise.map(transform))
  }

  /// As ``Promise/then(_:)``.
  public func then<New>(
    _ next: @escaping @Sendable @concurrent (Value) async throws -> New
  ) -> ProgressablePromise<New> {
    with(promise.then(next))
  }

  /// As ``Promise/flatMap(_:)``.
  public func flatMap<New>(_ next: @escaping @Sendable (Value) throws -> Promise<New>) -> ProgressablePromise<New> {
    with(promise.flatMap(next))
  }

  /// As ``Promise/recover(_:)``.
  public func recover(
    _ recovery: @escaping @Sendable @concurrent (any Error) async throws -> Value
  ) -> ProgressablePromise {
    with(promise.recover(recovery))
  }

  /// As ``Promise/tap(_:)``.
  public func tap(_ look: @escaping @Sendable (Value) -> Void) -> ProgressablePromise { with(promise.tap(look)) }

  /// As ``Promise/ensure(_:)``.
  public func ensure(_ cleanUp: @escaping @Sendable () -> Void) -> ProgressablePromise { with(promise.ensure(cleanUp)) }

  /// As ``Promise/timeout(_:clock:)``.
  public func timeout(_ limit: Duration, clock: any Clock<Duration> = .continuous) -> ProgressablePromise {
    with(promise.timeout(limit, clock: clock))
  }

  /// As ``Promise/onComplete(on:_:)``.
  @discardableResult
  public func onComplete(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Promise<Value>.Outcome) -> Void
  ) -> ProgressablePromise {
    with(promise.onComplete(on: context, callback))
  }

  /// As ``Promise/onSuccess(on:_:)``.
  @discardableResult
  public func onSuccess(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Value) -> Void
  ) -> ProgressablePromise {
    with(promise.onSuccess(on: context, callback))
  }

  /// As ``Promise/onFailure(on:_:)``.
  @discardableResult
  public func onFailure(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (any Error) -> Void
  ) -> ProgressablePromise {
    with(promise.onFailure(on: context, callback))
  }

  /// As ``Promise/onComplete(on:_:)``, on the main actor.
  @discardableResult
  public func onComplete(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (Promise<Value>.Outcome) -> Void
  ) -> ProgressablePromise {
    with(promise.onComplete(on: context, callback))
  }

  /// As ``Promise/onSuccess(on:_:)``, on the main actor.
  @discardableResult
  public func onSuccess(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (Value) -> Void
  ) -> ProgressablePromise {
    with(promise.onSuccess(on: context, callback))
  }

  /// As ``Promise/onFailure(on:_:)``, on the main actor.
  @discardableResult
  public func onFailure(
    on context: MainContext, _ callback: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> ProgressablePromise {
    with(promise.onFailure(on: context, callback))
  }
}
