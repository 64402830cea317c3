public import FaradayCore
#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// An adapter over Foundation's URLSession.
///
/// It is thread-safe, and a value whose copies share the session. It uses the session's configuration, except that cookies, cache
/// and stored credentials are disabled, and it follows no redirects: middleware does these. When the last copy is released,
/// transfers in flight finish and the session is invalidated.
///
/// URLSession can do less than libcurl: see ``capabilities``. A request that needs more throws
/// ``FaradayCore/TransportError/Code/unsupported``. Other limitations, which a request cannot show:
///
/// - No backpressure: a server cannot be slowed down. Up to 16 MiB of unread bytes of a response are kept in memory, and more of
///   them in nameless temporary files (`TMPDIR`, which should be a disk), up to the limit of the initializer.
/// - Repeated header fields are joined by commas (also `Set-Cookie`), in no order, in requests and responses.
/// - A `Transfer-Encoding` in a folded line (obs-fold, RFC 9112, section 5.2) is not decoded: the body has the framing of its chunks.
///   Such a response fails if the value shows it, which `Transfer-Encoding:` with `chunked` behind one space on the next line does
///   not: no ``FaradayCore/Capabilities/strictFraming``.
/// - A compressed response is decoded by URLSession even if compression was not requested: such a response fails.
/// - An async sequence as a body is written to a temporary file first, and sent with its length when it has ended.
/// - A request with a body, and one that is not idempotent (POST, PATCH, custom methods), uses a new connection: when a kept one
///   turns out to be closed, URLSession would resend the request, usually without its body.
/// - Unsolicited bytes on an idle connection (a second response, a late `408`) become the response to the next request: no
///   ``FaradayCore/Capabilities/cleanConnections``.
/// - A TLS body that is ended by the close of the connection counts as complete without a `close_notify` (truncation attack, RFC
///   9112, section 9.8): no ``FaradayCore/Capabilities/truncatedTLS``.
/// - `httpMaximumConnectionsPerHost` limits the concurrent requests to an origin, over HTTP/2 too. The queue for the others has no
///   limit.
/// - On Linux a server that sends faster than its reader reads delays every URLSession of the process meanwhile.
/// - On Linux child processes inherit its sockets, unless they are closed when the child is started, as Foundation's `Process`
///   does.
/// - On Linux an upload of more than 8 MiB from a file, sequence or form that is cancelled or broken off before it was read can
///   crash the process (Foundation of Swift 6.3). Smaller ones are read into memory, which avoids that.
/// - On Linux a response with trailers, one with a truncated head (`Transfer completed, but there's no response`), and one with a
///   `Content-Length` over 9,223,372,036,854,775,295 crash the process (Foundation of Swift 6.3). Do not use it with servers that
///   you do not trust.
public struct URLSessionAdapter: Adapter {
  static let defaultMaximumUnread: Int64 = 4 << 30

  private let session: Session

  /// An adapter with a URLSession of its own.
  ///
  /// - Parameters:
  ///   - configuration: is copied. A setting that the platform's URLSession ignores, such as a proxy on Linux, makes every request
  ///     throw an error that names it.
  ///   - maximumUnread: how many bytes of a response may be unread, in memory and on the disk together: 4 GiB by default. Beyond it
  ///     the transfer fails with ``FaradayCore/TransportError/Code/bodyTooLarge``. A download then goes on with a new request for
  ///     the rest.
  public init(_ configuration: URLSessionConfiguration = .default, maximumUnread: Int64 = 4 << 30) {
    session = Session(configuration, maximumUnread: maximumUnread)
  }

  /// What URLSession can do on this platform.
  public var capabilities: Capabilities { .urlSession }

  /// What the adapter has done and is doing: exchanges, bytes and errors. URLSession does not tell of its connections.
  /// Thread-safe.
  public var statistics: AdapterStatistics { session.exchanges.statistics(active: session.queue.activeCount) }

  /// Shuts the adapter down: refuses all further requests, with ``FaradayCore/TransportError/Code/shuttingDown``, and waits
  /// until those that it has accepted, queued ones included, have ended, bodies and all.
  ///
  /// What has not ended by the deadline, or when the task that waits is cancelled, fails with the same code. A request has one
  /// outcome. It cannot be undone.
  ///
  /// - Returns: the number of exchanges that were cut. Of several calls, each returns those that it has cut itself.
  public func drain(until deadline: ContinuousClock.Instant) async -> Int { await session.exchanges.drain(until: deadline) }

  /// Sends the request, or waits until one of its origin's `httpMaximumConnectionsPerHost` slots is free. Returns at the response's
  /// head. Throws ``FaradayCore/TransportError`` and, if the task is cancelled, `CancellationError`.
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
  /// What URLSession can do on this platform, as far as the conformance tests show.
  static let urlSession: Capabilities = [
    .customMethods, .streamedUpload, .expectContinue, .uploadProgress, .streamedDownload, .neverResends, .informational,
    .queueTimeout, .idleTimeout, .totalTimeout,
  ]
}
