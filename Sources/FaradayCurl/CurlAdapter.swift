public import FaradayCore
internal import Synchronization

/// An adapter over libcurl, with a connection pool and a request queue.
///
/// It is thread-safe, and a value whose copies share connections: create one and keep it. Each engine (one by default) has a
/// thread, started with the first request, on which libcurl runs and callbacks are called; everything else runs in the caller's
/// task. No shutdown is needed: when the last copy is released, transfers in flight finish and the threads end.
///
/// **Resending.** If a kept (keep-alive) connection turns out to be closed, libcurl sends an idempotent request again over another
/// connection (``FaradayCore/Adapter``). A POST, PATCH or custom method of which any byte was sent fails with
/// ``FaradayCore/TransportError/Code/connectionClosed`` instead, even if an HTTP/2 server says that it has not processed it.
/// (libcurl before 7.80 cannot be prevented from resending.)
///
/// **Reuse.** An idle connection on which bytes have arrived, or that was closed, is not reused, so that no response is attributed
/// to another request. Unsolicited bytes that arrive after the next request was sent cannot be detected.
///
/// **HTTP/2** over TLS is the default from libcurl 8.4 on. One truncation is not detected: of a body without a length whose stream the
/// server resets with NO_ERROR. libcurl 7.88 to 8.3 reports more truncated bodies as complete, and has no backpressure: there HTTP/2
/// is used only for GET, HEAD, OPTIONS and TRACE without a body that are delivered whole (``FaradayCore/Options/deliversWhole``).
/// If their response has no stated length, they are sent again over HTTP/1.1.
///
/// A server may end a connection of HTTP/2 at any time (GOAWAY). An idempotent request that is delivered whole is then sent again
/// once over another connection, even if a part of its response has arrived.
///
/// **HTTP/3** is used for requests with ``FaradayCore/HTTPVersionPolicy/http3``, from libcurl 8.5 on if it is built with a QUIC library. A
/// body without a length whose stream the server resets with NO_ERROR looks complete.
public struct CurlAdapter: Adapter {
  private let engines: EngineGroup

  /// An adapter with a connection pool of its own. No thread is started before the first request.
  public init(_ configuration: Configuration = Configuration()) {
    engines = EngineGroup(configuration)
  }

  /// The version of libcurl and its libraries: `libcurl/7.88.1 OpenSSL/3.0.19 …`.
  public static var libraryVersion: String { Library.description }

  /// A task executor that runs tasks on the engines' threads, so that received bytes reach them without a change of thread.
  ///
  ///     try await withTaskExecutorPreference(curl.taskExecutor) {
  ///       let response = try await connection.get("log") { $0.options.delivery = .streamed }
  ///       for try await piece in response.body { … }
  ///     }
  ///
  /// Use it for tasks that do little work between requests, or between pieces of a body. All transfers of the engine wait while
  /// such a task runs, so it must not block or compute for milliseconds. Code of an actor with its own executor, such as the main
  /// actor and the top level of `main.swift`, stays there and gains nothing. Read a body in the task that sent the request: others
  /// are woken for fewer bytes at a time. With several engines a task continues on the one that has its response.
  ///
  /// The executor keeps the threads alive. A `Task` created with it as its preference keeps the executor; a child task that
  /// inherits the preference does not, as with any executor: keep the adapter until such tasks have ended.
  public var taskExecutor: any TaskExecutor { engines }

  /// All capabilities that libcurl has: ``FaradayCore/Capabilities/http2`` from 7.88 on, and ``FaradayCore/Capabilities/http3`` from 8.5
  /// on if it is built with a QUIC library.
  public var capabilities: Capabilities { Library.capabilities }

  /// Sends the request over a connection of the pool, or waits in the request queue for one. Returns at the response's head, or
  /// with a body of up to 256 KiB if delivery is buffered. Throws ``FaradayCore/TransportError`` and, if the task is cancelled,
  /// `CancellationError`.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let transfer = try makeTransfer(request)
    if request.body.isDeclaredEmpty { try await checkEmptiness(of: request) }
    let engine = engines.engine(for: transfer)
    if let names = engines.settings.names { try await engine.resolve(transfer, by: names) }
    // In the caller's task and not on the engine's thread, where all others would wait for it.
    if engine.hasShortQueue { try engine.prepare(transfer) }
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

  /// What the adapter has done and is doing: connections by origin, exchanges, bytes and errors. Thread-safe, and cheap enough
  /// to be asked every second: it neither wakes the engines nor waits for them.
  public var statistics: AdapterStatistics { engines.statistics }

  /// Shuts the adapter down: refuses all further requests, with ``FaradayCore/TransportError/Code/shuttingDown``, and waits
  /// until those that it has accepted, queued ones included, have ended, bodies and all.
  ///
  /// What has not ended by the deadline, or when the task that waits is cancelled, fails with the same code. A request has one
  /// outcome, and the connections are closed when the adapter is released. It cannot be undone.
  ///
  /// - Returns: the number of exchanges that were cut. Of several calls, each returns those that it has cut itself.
  public func drain(until deadline: ContinuousClock.Instant) async -> Int { await engines.drain(until: deadline) }

  /// Closes all idle connections, and those in use as soon as their requests have ended: requests that are sent after this call use
  /// new connections. For a program whose network, credentials or servers have changed.
  ///
  /// Thread-safe. Returns at once, and the engines' threads close the connections. Requests in flight are not disturbed. The
  /// connections to a DNS-over-HTTPS resolver stay. After it, a name outside of `.local` that resolves to a link-local address of
  /// IPv6 is not tried on the interface that the name's entry states.
  public func evictIdleConnections() { engines.post(.evictConnections) }

  /// Clears the DNS cache of the adapter, and forgets the addresses of its ``Configuration/resolver``: requests that are sent after this call, and need a connection, look up their names. Kept
  /// connections stay: ``evictIdleConnections()`` closes these.
  ///
  /// Thread-safe. Returns at once. The result of a lookup that has begun before may still be cached.
  public func flushDNSCache() {
    engines.settings.names?.flush()
    engines.post(.flushDNSCache)
  }

  // Not inlined: its temporaries would be in the frame of each request that waits.
  @inline(never)
  private func makeTransfer(_ request: Request) throws -> Transfer {
    Transfer(try capabilities.checked(request, of: "CurlAdapter", explaining: Self.absence), engines.settings)
  }

  /// Checks that a body with a stated length of 0 is empty: libcurl does not read it.
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
  /// Whether it is streamed, with a stated length of 0. Not inlined, as ``CurlAdapter`` says.
  @inline(never)
  fileprivate var isDeclaredEmpty: Bool { isStreamed && length == 0 }
}
