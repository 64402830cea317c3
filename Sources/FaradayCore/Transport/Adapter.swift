/// A transport: sends one request, once, and returns its response.
///
/// Once: a server must not get a POST twice. Only an idempotent request (RFC 9110, section 9.2.2: GET, HEAD, PUT, DELETE, OPTIONS,
/// TRACE), or one of which nothing was sent, may be sent again over a new connection when a kept (keep-alive) connection turns out
/// to be dead.
///
/// An adapter does not follow redirects, retry, keep cookies or decode JSON: middleware does, the same over every adapter. It does
/// what needs its engine: TLS, HTTP versions, and the connection pool.
///
/// A conforming type
/// - is thread-safe;
/// - throws ``TransportError`` for all failures, and `CancellationError` when the task is cancelled;
/// - throws ``TransportError/Code/unsupported`` for a request that needs a capability it lacks, and ignores no option;
/// - sends the header fields and credentials of the request and no others, or passes the request on to an adapter or a ``Stack`` that
///   does: a cache keeps the responses of users apart by what a stack has sent, and cannot see what an adapter adds. Credentials are
///   added by a ``Middleware``, also in a stack behind an adapter of your own;
/// - returns from ``send(_:)`` at the response's head, with a body that is still to come (``ResponseStream``). ``Connection``
///   delivers it: buffered, streamed or to a callback. If ``Options/deliversWhole`` is true it may wait for a small body.
public protocol Adapter: Sendable {
  /// What this adapter can do.
  var capabilities: Capabilities { get }

  /// Sends the request and returns its response, whatever its status.
  func send(_ request: Request) async throws -> Response
}
