extension Promise {
  /// Calls the closure with the outcome, exactly once. The call is immediate if the promise is settled already. Returns the
  /// same promise.
  @discardableResult
  public func onComplete(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Outcome) -> Void
  ) -> Promise {
    whenSettled { outcome in context.run { callback(outcome) } }
    return self
  }

  /// Calls the closure with the outcome on the main actor, exactly once. Returns the same promise.
  @discardableResult
  public func onComplete(on context: MainContext, _ callback: @escaping @MainActor @Sendable (Outcome) -> Void) -> Promise {
    whenSettled { outcome in context.run { callback(outcome) } }
    return self
  }

  /// Calls the closure with the value, unless the promise fails. Returns the same promise.
  @discardableResult
  public func onSuccess(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Value) -> Void
  ) -> Promise {
    whenSettled { outcome in
      if case .success(let value) = outcome { context.run { callback(value) } }
    }
    return self
  }

  /// Calls the closure with the value on the main actor, unless the promise fails. Returns the same promise.
  @discardableResult
  public func onSuccess(on context: MainContext, _ callback: @escaping @MainActor @Sendable (Value) -> Void) -> Promise {
    whenSettled { outcome in
      if case .success(let value) = outcome { context.run { callback(value) } }
    }
    return self
  }

  /// Calls the closure with the error if the promise fails, `CancellationError` included. Returns the same promise.
  @discardableResult
  public func onFailure(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    whenSettled { outcome in
      if case .failure(let error) = outcome { context.run { callback(error) } }
    }
    return self
  }

  /// Calls the closure with the error on the main actor if the promise fails, `CancellationError` included. Returns the same
  /// promise.
  @discardableResult
  public func onFailure(on context: MainContext, _ callback: @escaping @MainActor @Sendable (any Error) -> Void) -> Promise {
    whenSettled { outcome in
      if case .failure(let error) = outcome { context.run { callback(error) } }
    }
    return self
  }
}
