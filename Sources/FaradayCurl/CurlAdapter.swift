@_spi(Adapters) public import FaradayCore
internal import Synchronization

/// An adapter over libcurl, with a connection pool and a request queue.
///
/// Thread-safe. Copies share connections: create one adapter and keep it. Each engine (one by default) has a thread, which
/// starts with the first request. libcurl and the callbacks run on that thread; everything else runs in the caller's task. No
/// shutdown is needed: when the last copy is released, transfers in flight finish and the threads end.
///
/// **Resending.** If a keep-alive connection turns out to be closed, libcurl sends an idempotent request again over another
/// connection (``FaradayCore/Adapter``). A POST, PATCH or custom method is not sent again once a byte of it was sent: it fails
/// with ``FaradayCore/TransportError/Code/connectionClosed``, even if an HTTP/2 server reports that it has not processed the
/// request. (libcurl before 7.80 cannot be prevented from resending.)
///
/// **Reuse.** An idle connection that was closed, or that has received bytes, is not reused, so that no response is attributed
/// to another request. Unsolicited bytes that arrive after the next request was sent cannot be detected.
///
/// **HTTP/2** over TLS is the default from libcurl 8.4 on. One kind of truncation is not detected: the server resets the stream
/// with NO_ERROR, and the body has no stated length. libcurl 7.88 to 8.3 reports more truncated bodies as complete, and has no
/// backpressure. With these versions HTTP/2 is used only for GET, HEAD, OPTIONS and TRACE without a body, if the response is
/// delivered whole (`options.deliversWhole`). If the response has no stated length, the request is sent again
/// over HTTP/1.1.
///
/// A server may end an HTTP/2 connection at any time (GOAWAY). An idempotent request whose response is delivered whole is then
/// sent again once over another connection, even if a part of its response has arrived.
///
/// **HTTP/3** is used for requests with ``FaradayCore/HTTPVersionPolicy/http3``, from libcurl 8.5 on if it is built with
/// ngtcp2. If the server resets the stream of a body without a stated length with NO_ERROR, the truncated body appears
/// complete.
public struct CurlAdapter: Adapter {
  private let engines: EngineGroup

  /// Creates an adapter with a new connection pool. No thread is started before the first request.
  public init(_ configuration: Configuration = Configuration()) {
    engines = EngineGroup(configuration)
  }

  /// The version of libcurl and its libraries: `libcurl/7.88.1 OpenSSL/3.0.19 …`.
  public static var libraryVersion: String { Library.description }

  /// A task executor that runs tasks on the engines' threads, so that received bytes reach a task without a thread switch.
  ///
  ///     try await withTaskExecutorPreference(curl.taskExecutor) {
  ///       let response = try await connection.stream("log")
  ///       for try await piece in response.body { … }
  ///     }
  ///
  /// Use it for tasks that do little work between requests, or between pieces of a body. All transfers of the engine wait while
  /// such a task runs, so the task must not block or compute for milliseconds. Code of an actor with a custom executor, such as
  /// the main actor and the top level of `main.swift`, stays on that executor and gains nothing. Read a body in the task that
  /// sent the request: another task is woken for fewer bytes at a time. With several engines, a task continues on the engine
  /// that has its response.
  ///
  /// The executor keeps the threads alive. A `Task` that is created with it as its preference keeps the executor alive. A child
  /// task that inherits the preference does not, as with any executor: keep the adapter until such child tasks have ended.
  public var taskExecutor: any TaskExecutor { engines }

  /// The capabilities of this libcurl: ``FaradayCore/Capabilities/http2`` from 7.88 on, and ``FaradayCore/Capabilities/http3``
  /// from 8.5 on if it is built with ngtcp2.
  public var capabilities: Capabilities { Library.capabilities }

  /// Sends the request over a connection of the pool, or waits in the request queue for a connection. Returns at the response's
  /// head, or with a body of up to 256 KiB if delivery is buffered. Throws ``FaradayCore/TransportError``, or
  /// `CancellationError` if the task is cancelled.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let transfer = try makeTransfer(request)
    if request.body.isDeclaredEmpty { try await checkEmptiness(of: request) }
    let engine = engines.engine(for: transfer)
    if let names = engines.settings.names { try await engine.resolve(transfer, by: names) }
    // In the caller's task: on the engine's thread all other transfers would wait for it.
    if engine.hasShortQueue { try engine.prepare(transfer) }
    let received = try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        transfer.setWaiting(continuation, isOnEngine: engines.isPreferred)
        engine.submit(transfer)
      }
    } onCancel: {
      transfer.isCancelled = true
      engine.post(.cancel(transfer))
    }
    return received.response(to: request)
  }

  /// The adapter's connections by origin, exchanges, bytes and errors, current and total. Thread-safe. Cheap enough to read
  /// every second: it neither wakes the engines nor waits for them.
  public var statistics: AdapterStatistics { engines.statistics }

  /// Shuts the adapter down: rejects all further requests with ``FaradayCore/TransportError/Code/shuttingDown``, and waits
  /// until all accepted exchanges have ended, with their bodies. Queued requests are accepted ones.
  ///
  /// When the deadline passes, or the waiting task is cancelled, the remaining exchanges fail with the same code. Each request
  /// has exactly one outcome. The connections are closed when the adapter is released. A shutdown cannot be undone.
  ///
  /// - Returns: the number of exchanges that this call has aborted. Concurrent calls count different exchanges.
  public func shutdown(deadline: ContinuousClock.Instant) async -> Int { await engines.drain(until: deadline) }

  /// Closes all idle connections, and each active connection as soon as its requests have ended. Requests that are sent after
  /// this call use new connections. Use it after a change of the network, of credentials or of servers.
  ///
  /// Thread-safe. Returns at once; the engines' threads close the connections. Requests in flight continue. Connections to a
  /// DNS-over-HTTPS resolver stay open. A limitation applies after the call: if a name outside of `.local` resolves to a
  /// link-local IPv6 address, the interface in the name's entry is ignored.
  public func evictIdleConnections() {
    engines.settings.origins.forgetConnectionOptions()
    engines.post(.evictConnections)
  }

  /// Clears the DNS cache of the adapter, and the cached addresses of its ``Configuration/resolver``. Requests that are sent
  /// after this call, and need a new connection, look up their names again. Keep-alive connections stay open:
  /// ``evictIdleConnections()`` closes them.
  ///
  /// Thread-safe. Returns at once. The result of a lookup that began before the call may still be cached.
  public func flushDNSCache() {
    engines.settings.names?.flush()
    engines.post(.flushDNSCache)
  }

  // Not inlined: its temporaries would be in the frame of each waiting request.
  @inline(never)
  private func makeTransfer(_ request: Request) throws -> Transfer {
    Transfer(try capabilities.checked(request, of: "CurlAdapter", explaining: Self.absence), engines.settings)
  }

  /// Checks that a body with a stated length of 0 is empty, because libcurl does not read such a body.
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

extension Body {
  /// Whether the body is streamed with a stated length of 0. Not inlined, for the reason at ``CurlAdapter``'s `makeTransfer`.
  @inline(never)
  fileprivate var isDeclaredEmpty: Bool { isStreamed && length == 0 }
}

/// The engines of an adapter. The group is released with the adapter's last copy, and then stops the engines.
final class EngineGroup: TaskExecutor {
  let settings: TransferSettings
  private let engines: [EngineHandle]
  private let next = Atomic<Int>(0)
  /// The maximum number of connections to one origin for each engine, starting with the origin's home engine. It has at most as
  /// many elements as there are connections.
  private let shares: [Int]

  init(_ configuration: CurlAdapter.Configuration) {
    settings = TransferSettings(configuration)
    engines = (0..<max(1, configuration.threads)).map { _ in EngineHandle(configuration) }
    let connections = max(1, configuration.maximumPooledConnectionsPerOrigin)
    let parts = min(engines.count, connections)
    shares = (0..<parts).map { connections / parts + ($0 < connections % parts ? 1 : 0) }
  }

  deinit {
    for engine in engines { engine.stop() }
  }

  /// Returns the engine for a request: the home engine of its origin (by hash), so that the origin's connections are shared.
  ///
  /// HTTP/1.1 requests cannot share a connection. If the home engine has as many requests as its share of the connections per
  /// origin, an HTTP/1.1 request goes to the next engine below its share, so that one origin can use several processors. If all
  /// engines have reached their shares, it goes to the engine with the fewest requests. Requests to all origins count. A
  /// request stays with its engine: it may wait there while another engine has a free connection.
  func engine(for transfer: Transfer) -> EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    let home = Int(UInt(bitPattern: transfer.target.origin.hashValue) % UInt(engines.count))
    guard !transfer.mayBeHTTP2, !transfer.mayBeHTTP3 else { return engines[home] }
    var (chosen, least) = (home, Int.max)
    for number in 0..<shares.count {
      let place = (home + number) % engines.count
      let load = engines[place].load
      guard load < shares[number] || load < least else { continue }
      (chosen, least) = (place, load)
      transfer.limitConnections(to: shares[number])
      if load < shares[number] { break }
    }
    return engines[chosen]
  }

  var statistics: AdapterStatistics {
    engines.reduce(into: AdapterStatistics()) { $0.add($1.statistics) }
  }

  func drain(until deadline: ContinuousClock.Instant) async -> Int {
    for engine in engines { engine.refuseSubmissions() }
    return await Draining.drain(until: deadline) { [engines] in
      for engine in engines { await engine.untilIdle() }
    } cut: { [engines] in
      var count = 0
      for engine in engines { count += await engine.cut() }
      return count
    }
  }

  /// Sends a command to each engine that has a thread.
  func post(_ command: Command) {
    for engine in engines { engine.post(command) }
  }

  // MARK: tasks

  /// Whether the current task runs on the engines' threads.
  var isPreferred: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() } }

  func enqueue(_ job: UnownedJob) {
    engineForJob.enqueue(Job(job: job, executor: asUnownedTaskExecutor()))
  }

  /// The current thread's engine, if it has one; otherwise the next engine in turn (round robin).
  private var engineForJob: EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    if let current = engines.first(where: \.isCurrent) { return current }
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return engines[Int(UInt(bitPattern: turn) % UInt(engines.count))]
  }
}
