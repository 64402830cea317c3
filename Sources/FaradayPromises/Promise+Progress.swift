public import FaradayCore

/// The progress of a promise's work, such as an upload.
///
///     let upload = connection.promise.put("backup", body: file).progress { progress in print(progress.fraction ?? 0) }
///     for await progress in upload.progress { print(progress.bytes) }
///     let response = try await upload.value
///
/// A handler that is added late is called with the last report. Promises that are derived with methods such as `map` and `then`
/// report the same progress. The work of most promises reports nothing.
extension Promise {
  /// Starts the asynchronous closure at once, in a new task. The closure calls `report` to report progress. The closure's
  /// result or error becomes the outcome.
  public convenience init(
    reporting work: @escaping @Sendable @concurrent (_ report: @escaping ProgressHandler) async throws -> Value
  ) {
    let reports = Reports()
    self.init(reports: reports)
    run { try await work { reports.report($0) } }
    whenSettled(keepsWorkAlive: false) { _ in reports.end() }
  }

  /// Calls the handler with each report, one call at a time, in order if the context keeps the order. The first call has the
  /// last report, if any. Returns the same promise.
  @discardableResult
  public func progress(on context: CallbackContext = .immediate, _ handler: @escaping ProgressHandler) -> Promise {
    reports?.add { progress in context.run { handler(progress) } }
    return self
  }

  /// Calls the handler with each report on the main actor. See `progress(on:_:)`.
  @discardableResult
  public func progress(
    on context: MainContext, _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
  ) -> Promise {
    reports?.add { progress in context.run { handler(progress) } }
    return self
  }

  /// The reports as an async sequence, which begins with the last report and ends with the work. A reader that is slower than
  /// the work gets only the newest report. Each access returns a new sequence, for one reader.
  public var progress: AsyncStream<TransferProgress> {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    if let reports {
      reports.add({ continuation.yield($0) }, end: { continuation.finish() })
    } else {
      continuation.finish()
    }
    return stream
  }
}
