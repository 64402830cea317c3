/// Sends one request once.
///
/// Once: a server that acts on a POST must not get it twice. Only a request that may be repeated (RFC 9110, section 9.2.2: GET,
/// HEAD, PUT, DELETE, OPTIONS, TRACE), or of which nothing has left, may be sent again, over a new connection, when a kept one
/// turns out to be dead.
///
/// An adapter follows no redirect, retries nothing, keeps no cookies and decodes no JSON: those are middleware, which is
/// how they work the same over every adapter. What only an engine can do is the adapter's: TLS, HTTP versions, content
/// decoding, connection reuse.
///
/// A conforming type
/// - throws ``TransportError`` for everything that can go wrong, and `CancellationError` when the task is cancelled;
/// - fails a request that needs a capability it lacks with ``TransportError/Code/unsupported``, and ignores nothing;
/// - returns from ``send(_:)`` at the response's head, with a body that is still to come (``ResponseStream``). How it is delivered,
///   whole, streamed or to a callback, is not its concern: ``Connection`` sees to that. Where ``Options/deliversWhole`` says so it may
///   wait for a small body, and return with that.
public protocol Adapter: Sendable {
  /// What this adapter can do.
  var capabilities: Capabilities { get }

  /// Sends the request and returns its response, whatever the status.
  func send(_ request: Request) async throws -> Response
}
