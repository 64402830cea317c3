public import FaradayCore
internal import Synchronization

/// Sends requests over libcurl.
///
/// It has a thread of its own for each engine (one by default), started with the first request, on which libcurl works and
/// callbacks are called; everything else runs where the caller runs, which may be there (``taskExecutor``). It needs no shutdown:
/// when its last copy goes, transfers in flight finish and the threads end. Copies share connections.
///
/// A request over a kept connection that ends before it has answered is sent again by libcurl, over another, if it may be
/// repeated (``Adapter``). A POST, PATCH or custom method of which anything has left fails with
/// ``TransportError/Code/connectionClosed`` instead, also where an HTTP/2 server says that it has not looked at it. (libcurl
/// before 7.80 cannot be kept from repeating it.)
///
/// A kept connection on which anything has come or ended since its last response is not used again: no response is another
/// request's. What arrives after the next request has left cannot be told from its answer, by nobody.
///
/// HTTP/2 over TLS is the default from libcurl 8.14 on. Older versions take some HTTP/2 bodies for complete that were cut off, and
/// have no ``Capabilities/http2``. (In 8.14 one case is left that libcurl does not show: a body without a length whose stream the
/// server resets with NO_ERROR before its end.)
public struct CurlAdapter: Adapter {
  private let engines: EngineGroup

  public init(_ configuration: Configuration = Configuration()) {
    engines = EngineGroup(configuration)
  }

  /// The version of libcurl and its libraries, as it names them.
  public static var libraryVersion: String { Library.description }

  /// Runs tasks on the engines' threads, where what libcurl brings is handed to them without a change of thread.
  ///
  ///     try await withTaskExecutorPreference(curl.taskExecutor) {
  ///       let response = try await connection.get("log") { $0.options.delivery = .streamed }
  ///       for try await piece in response.body { … }
  ///     }
  ///
  /// It pays for tasks that do little between one request, or one piece of a body, and the next. Code of an actor with an executor
  /// of its own stays there: the main actor's, and with it the top level of a `main.swift`, gains nothing. Transfers wait while
  /// such a task computes, so what takes milliseconds or blocks is better done elsewhere. A body is best read by the task that
  /// sent its request: another is woken for less at a time. With several engines a task goes on with the one that has its answer.
  ///
  /// The threads stay as long as this does. A `Task` that is made with it as its preference keeps it; a child task that only
  /// inherits the preference does not, like with any executor: keep the adapter until such tasks have ended.
  public var taskExecutor: any TaskExecutor { engines }

  /// Everything there is a name for, except what this libcurl was built without.
  public var capabilities: Capabilities { Library.capabilities }

  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let checked = try capabilities.checked(request, of: "CurlAdapter")
    if request.body.isStreamed, request.body.length == 0 { try await checkEmptiness(of: request) }
    let transfer = Transfer(checked, engines.settings)
    let engine = engines.engine(for: transfer.target.origin)
    // Here rather than on the engine's thread, where all others wait for it.
    if engine.isCalm { try transfer.prepare() }
    let received = try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        transfer.continuation = continuation
        transfer.isSentFromEngine = engines.isPreferred
        engine.submit(transfer)
      }
    } onCancel: {
      transfer.isCancelled = true
      engine.post(.cancel(transfer))
    }
    return received.response(to: request)
  }

  /// libcurl asks for nothing of a body that is said to be empty, so one that is not would not be found out.
  private func checkEmptiness(of request: Request) async throws {
    do {
      for try await piece in request.body where !piece.isEmpty { throw LengthMismatch(stated: 0, actual: nil) }
    } catch is CancellationError where Task.isCancelled {
      throw CancellationError()
    } catch {
      var failure = TransportError(.bodyUnreadable, building: request, "")
      failure.setBodyFailure(error)
      throw failure
    }
  }
}

/// The engines of an adapter. When the last copy of the adapter goes, so does this, and tells them to end when they can.
private final class EngineGroup: TaskExecutor {
  let settings: Transfer.Settings
  private let engines: [EngineHandle]
  private let next = Atomic<Int>(0)

  init(_ configuration: CurlAdapter.Configuration) {
    settings = Transfer.Settings(configuration)
    engines = (0..<max(1, configuration.engines)).map { _ in EngineHandle(configuration) }
  }

  deinit {
    for engine in engines { engine.stop() }
  }

  func engine(for origin: String) -> EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    return engines[Int(UInt(bitPattern: origin.hashValue) % UInt(engines.count))]
  }

  // MARK: tasks

  /// Whether the current task runs on the engines' threads.
  var isPreferred: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() } }

  func enqueue(_ job: UnownedJob) {
    engineForJob.enqueue(Job(job: job, executor: asUnownedTaskExecutor()))
  }

  /// The engine that resumes the task, if one does, and otherwise each in turn.
  private var engineForJob: EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    if let current = engines.first(where: \.isCurrent) { return current }
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return engines[Int(UInt(bitPattern: turn) % UInt(engines.count))]
  }
}
