public import FaradayCore

/// A promise that reports the progress of its work, such as an upload.
///
///     let upload = connection.promise.put("backup", body: file).progress { progress in print(progress.fraction ?? 0) }
///     for await progress in upload.progress { print(progress.bytes) }
///     let response = try await upload.value
///
/// A handler that is added late is called with the last report. Promises derived by `map`, `then` and the others keep the
/// progress. Thread-safe.
public struct ProgressablePromise<Value: Sendable>: Sendable {
  /// The promise without its progress.
  public let promise: Promise<Value>
  private let reports: Reports

  init(_ promise: Promise<Value>, _ reports: Reports) {
    self.promise = promise
    self.reports = reports
  }

  /// Starts the asynchronous closure at once, in a new task; it reports progress by calling `report`.
  public init(
    _ work: @escaping @Sendable @concurrent (_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> Value
  ) {
    let reports = Reports()
    self.init(Promise { try await work { reports.report($0) } }, reports)
    promise.whenSettled(keepsWorkAlive: false) { _ in reports.end() }
  }

  /// A promise that never reports progress.
  public init(_ promise: Promise<Value>) {
    self.init(promise, Reports())
    reports.end()
  }

  /// Calls the handler with each report, one call at a time and in order, as far as the context keeps it; first with the last
  /// report, if there was one. Returns the same promise.
  @discardableResult
  public func progress(
    on context: CallbackContext = .immediate, _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> ProgressablePromise {
    reports.add { progress in context.run { handler(progress) } }
    return self
  }

  /// Calls the handler with each report on the main actor. See `progress(on:_:)`.
  @discardableResult
  public func progress(
    on context: MainContext, _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
  ) -> ProgressablePromise {
    reports.add { progress in context.run { handler(progress) } }
    return self
  }

  /// The reports as an async sequence, which begins with the last report and ends with the work. A reader that is slower than
  /// the work gets only the newest. Each call returns a new sequence, for one reader.
  public var progress: AsyncStream<TransferProgress> {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    reports.add({ continuation.yield($0) }, end: { continuation.finish() })
    return stream
  }

  func with<New>(_ promise: Promise<New>) -> ProgressablePromise<New> { ProgressablePromise<New>(promise, reports) }
}
