/// A transport: sends one request, once, and returns its response.
///
/// An adapter must not send a POST twice. If a kept (keep-alive) connection is dead, the adapter may send a request again over
/// a new connection only if the request is idempotent (RFC 9110, section 9.2.2: GET, HEAD, PUT, DELETE, OPTIONS, TRACE), or if
/// nothing of it was sent.
///
/// An adapter does not follow redirects, retry, store cookies or decode JSON: middleware does, identically over every adapter.
/// The adapter implements the features of its engine: TLS, HTTP versions, and the connection pool.
///
/// A conforming type
/// - is thread-safe;
/// - throws ``TransportError`` for all failures, and `CancellationError` when the task is cancelled;
/// - throws ``TransportError/Code/unsupported`` for a request that needs a missing capability, and ignores no option;
/// - sends only the header fields and credentials of the request, or passes the request on to an adapter or a ``Stack`` that
///   does. A cache separates the responses of users by the request that a stack has sent, and cannot see credentials that an
///   adapter adds. Add credentials in a ``Middleware``, even in a stack behind a custom adapter;
/// - returns from ``send(_:)`` at the response's head, with a body that arrives later (`ResponseStream`). ``Connection``
///   delivers the body: buffered, streamed or to a callback. If `options.deliversWhole` is true, the adapter may wait for a
///   small body.
public protocol Adapter: Sendable {
  /// The features of the adapter.
  var capabilities: Capabilities { get }

  /// Sends the request and returns its response, whatever its status.
  func send(_ request: Request) async throws -> Response
}

/// Limits for responses over every adapter.
package enum ResponseLimits {
  /// The maximum number of lines in heads and trailers together, as in newer libcurl. `HTTPFields` traps at 65,535.
  package static let lines = 5000

  package static let tooManyLines = "the response's head and trailers have more than \(lines) lines"
}

/// The graceful shutdown of adapters: see `CurlAdapter.shutdown(deadline:)`.
package enum Draining {
  /// Waits for the exchanges in flight, until the deadline or the cancellation of the task, and then ends the remaining ones.
  ///
  /// - Parameters:
  ///   - idle: returns when no exchange is in flight.
  ///   - cut: ends all exchanges in flight, and returns their number.
  package static func drain(
    until deadline: ContinuousClock.Instant, idle: @escaping @Sendable () async -> Void,
    cut: @escaping @Sendable () async -> Int
  ) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      group.addTask {
        await idle()
        return 0
      }
      group.addTask {
        try? await Task.sleep(until: deadline, clock: .continuous)
        // If `idle` has returned, no exchange is left to end.
        return await cut()
      }
      let first = await group.next() ?? 0
      group.cancelAll()
      return await group.reduce(first, +)
    }
  }

  /// The error of a request after shutdown.
  package static let refusal = "the adapter is shutting down and accepts no new requests"
  /// The error of an exchange that is ended at the deadline.
  package static let cutting = "the adapter was shut down, and the exchange had not ended by the deadline"
}
