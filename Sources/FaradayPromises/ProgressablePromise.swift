public import FaradayCore

/// A promise that says how far its work is.
///
///     let upload = connection.promise.put("backup", body: file).progress { progress in print(progress.fraction ?? 0) }
///     for await progress in upload.progress { print(progress.bytes) }
///     let response = try await upload.value
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
    _ work: @escaping @Sendable @concurrent (_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> Value
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
    on context: CallbackContext = .immediate, _ handler: @escaping @Sendable (TransferProgress) -> Void
  ) -> ProgressablePromise {
    reports.add { progress in context.run { handler(progress) } }
    return self
  }

  /// As ``progress(on:_:)``, on the main actor.
  @discardableResult
  public func progress(
    on context: MainContext, _ handler: @escaping @MainActor @Sendable (TransferProgress) -> Void
  ) -> ProgressablePromise {
    reports.add { progress in context.run { handler(progress) } }
    return self
  }

  /// The progress as a sequence, which begins with the last report and ends with the work: a promise made of this one, by `map` or `timeout`, has the same
  /// progress. A reader that is
  /// slower than the work gets the newest. Each call makes a sequence for one reader.
  public var progress: AsyncStream<TransferProgress> {
    let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    reports.add({ continuation.yield($0) }, end: { continuation.finish() })
    return stream
  }

  func with<New>(_ promise: Promise<New>) -> ProgressablePromise<New> { ProgressablePromise<New>(promise, reports) }
}
