extension Promise {
  /// Calls the closure with the outcome, once. Returns the same promise.
  @discardableResult
  public func onComplete(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Outcome) -> Void
  ) -> Promise {
    tell { outcome in context.run { callback(outcome) } }
    return self
  }

  /// Calls the closure with the outcome on the main actor, once. Returns the same promise.
  @discardableResult
  public func onComplete(on context: MainContext, _ callback: @escaping @MainActor @Sendable (Outcome) -> Void) -> Promise {
    tell { outcome in context.run { callback(outcome) } }
    return self
  }

  /// Calls the closure with the value, if there comes one. Returns the same promise.
  @discardableResult
  public func onSuccess(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (Value) -> Void
  ) -> Promise {
    tell { outcome in
      if case .success(let value) = outcome { context.run { callback(value) } }
    }
    return self
  }

  /// Calls the closure with the value on the main actor, if there comes one. Returns the same promise.
  @discardableResult
  public func onSuccess(on context: MainContext, _ callback: @escaping @MainActor @Sendable (Value) -> Void) -> Promise {
    tell { outcome in
      if case .success(let value) = outcome { context.run { callback(value) } }
    }
    return self
  }

  /// Calls the closure with the error, a `CancellationError` among them, if it comes to that. Returns the same promise.
  @discardableResult
  public func onFailure(
    on context: CallbackContext = .immediate, _ callback: @escaping @Sendable (any Error) -> Void
  ) -> Promise {
    tell { outcome in
      if case .failure(let error) = outcome { context.run { callback(error) } }
    }
    return self
  }

  /// Calls the closure with the error on the main actor, a `CancellationError` among them, if it comes to that. Returns the same
  /// promise.
  @discardableResult
  public func onFailure(on context: MainContext, _ callback: @escaping @MainActor @Sendable (any Error) -> Void) -> Promise {
    tell { outcome in
      if case .failure(let error) = outcome { context.run { callback(error) } }
    }
    return self
  }
}
