@_spi(Adapters) public import FaradayCore
#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// An adapter over Foundation's URLSession.
///
/// Thread-safe. Copies share the session. The adapter uses the session's configuration, but disables cookies, cache and stored
/// credentials, and follows no redirects: middleware does these. When the last copy is released, transfers in flight finish and
/// the session is invalidated.
///
/// URLSession has fewer features than libcurl: see ``capabilities``. A request that needs more throws
/// ``FaradayCore/TransportError/Code/unsupported``. The following limitations cannot be detected from a request:
///
/// - No backpressure: a server cannot be slowed down. Up to 16 MiB of unread bytes of a response are kept in memory. Further
///   bytes are kept in nameless temporary files (`TMPDIR`, which should be a disk), up to the limit of the initializer.
/// - Repeated header fields are joined by commas (also `Set-Cookie`), and their order is lost, in requests and responses.
/// - A `Transfer-Encoding` in a folded line (obs-fold, RFC 9112, section 5.2) is not decoded: the body contains the framing of
///   its chunks. Such a response fails if the value reveals the folding. `Transfer-Encoding:` with `chunked` after one space on
///   the next line does not reveal it: no ``FaradayCore/Capabilities/strictFraming``.
/// - A compressed response is decoded by URLSession even if compression was not requested: such a response fails.
/// - A body that is an async sequence is first written to a temporary file, and sent with its length when the sequence has
///   ended.
/// - A request with a body, or with a non-idempotent method (POST, PATCH, custom methods), uses a new connection. On a
///   keep-alive connection that turns out to be closed, URLSession would resend the request, usually without its body.
/// - Unsolicited bytes on an idle connection (a second response, a late `408`) become the response to the next request: no
///   ``FaradayCore/Capabilities/cleanConnections``.
/// - A TLS body that ends with the connection counts as complete without a `close_notify` (truncation attack, RFC 9112, section
///   9.8): no ``FaradayCore/Capabilities/truncatedTLS``.
/// - `httpMaximumConnectionsPerHost` limits the concurrent requests to an origin, also over HTTP/2. The queue for further
///   requests has no limit.
/// - On Linux, a server that sends faster than its reader reads delays every URLSession of the process in the meantime.
/// - On Linux, a head of very many lines delays every URLSession of the process. It is rejected at 300 KiB, which took 14 to 30
///   seconds with lines of 6 bytes (Foundation of Swift 6.3).
/// - On Linux, child processes inherit the adapter's sockets, unless the sockets are closed when the child is started, as
///   Foundation's `Process` does.
/// - On Linux, an upload of more than 8 MiB from a file, sequence or form can crash the process if it is cancelled or aborted
///   before it was read (Foundation of Swift 6.3). Smaller uploads are read into memory, which avoids the crash.
/// - On Linux, these responses crash the process (Foundation of Swift 6.3): a response with trailers, one with a truncated head
///   (`Transfer completed, but there's no response`), and one with a `Content-Length` over 9,223,372,036,854,775,295. Do not
///   use the adapter with untrusted servers.
public struct URLSessionAdapter: Adapter {
  static let defaultMaximumUnread: Int64 = 4 << 30

  private let session: Session

  /// Creates an adapter with a new URLSession.
  ///
  /// - Parameters:
  ///   - configuration: the configuration, which is copied. If the platform's URLSession ignores one of its settings, such as a
  ///     proxy on Linux, every request throws an error with the name of the setting.
  ///   - maximumUnread: the maximum number of unread bytes of a response, in memory and on disk together: 4 GiB by default.
  ///     Beyond it, the transfer fails with ``FaradayCore/TransportError/Code/bodyTooLarge``. A download then continues with a
  ///     new request for the rest.
  public init(_ configuration: URLSessionConfiguration = .default, maximumUnread: Int64 = 4 << 30) {
    session = Session(configuration, maximumUnread: maximumUnread)
  }

  /// The capabilities of URLSession on this platform.
  public var capabilities: Capabilities { .urlSession }

  /// The adapter's exchanges, bytes and errors, current and total. URLSession does not report its connections. Thread-safe.
  public var statistics: AdapterStatistics { session.exchanges.statistics(active: session.queue.activeCount) }

  /// Shuts the adapter down: rejects all further requests with ``FaradayCore/TransportError/Code/shuttingDown``, and waits
  /// until all accepted exchanges have ended, with their bodies. Queued requests are accepted ones.
  ///
  /// When the deadline passes, or the waiting task is cancelled, the remaining exchanges fail with the same code. Each request
  /// has exactly one outcome. A shutdown cannot be undone.
  ///
  /// - Returns: the number of exchanges that this call has aborted. Concurrent calls count different exchanges.
  public func shutdown(deadline: ContinuousClock.Instant) async -> Int { await session.exchanges.drain(until: deadline) }

  /// Sends the request, or waits until one of its origin's `httpMaximumConnectionsPerHost` slots is free. Returns at the
  /// response's head. Throws ``FaradayCore/TransportError``, or `CancellationError` if the task is cancelled.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let checked = try capabilities.checked(request, of: "URLSessionAdapter")
    try session.settings.check(request)
    let exchange = Exchange(checked, over: session)
    exchange.start()
    return try await withTaskCancellationHandler {
      try await exchange.response()
    } onCancel: {
      exchange.fail(CancellationError())
    }
  }
}

extension Capabilities {
  /// The capabilities of URLSession on this platform, as far as the conformance tests prove them.
  static let urlSession: Capabilities = [
    .customMethods, .streamedUpload, .expectContinue, .uploadProgress, .streamedDownload, .neverResends, .informational,
    .queueTimeout, .idleTimeout, .totalTimeout,
  ]
}
