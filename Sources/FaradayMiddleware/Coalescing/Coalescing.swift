private import Synchronization
public import FaradayCore
internal import FaradaySupport

/// Sends one of several equal GET or HEAD requests that are in flight at the same time, and returns its response to all
/// (request coalescing, single-flight).
///
///     middleware: .standard(authorization: .authorization(.bearer(token)), coalescing: .coalescing)
///
/// - Requests are equal if they have the same method, URL, header fields (credentials too, in the same order) and options, over
///   connections with the same base URL, default headers and secrets. The fields of ``init(ignoring:)`` and the field of a
///   ``RequestID`` above are ignored.
/// - A response is never shared across credentials. Place it below the middleware that adds them: `Cookies`, `Authorization`,
///   `TokenRefresh`. If a layer below adds credentials, or returns a response without sending the request, each caller sends a
///   separate request.
/// - Only responses that are delivered whole (`options.deliversWhole`) are shared, for requests without a body
///   and without callbacks. All other requests pass through. A request with a custom option whose value is not `Hashable`
///   passes through too, because it cannot be compared.
/// - Above ``Retry``, ``Hedging`` and the limits, as in the standard list, one exchange counts there once for all its callers.
/// - All callers get the same response, or the same error, and each decodes JSON with the decoder of its own request. A later
///   request has its own exchange, because no response is kept.
/// - A read after a write never joins an earlier exchange: a request with an unsafe method (POST, PUT, PATCH, DELETE) to the
///   same origin closes all earlier exchanges for new callers when it ends, with any outcome.
/// - A cancelled caller does not affect the others. When the last caller is cancelled, the exchange is cancelled.
///
/// The exchange runs in its own task, with the priority and task-local values of the first caller. The size limit comes from
/// the options, which are equal. Copies share the exchanges in flight. Thread-safe.
public struct Coalescing: Middleware {
  private let ignored: Set<HTTPField.Name>
  private let flights = Flights()

  /// - Parameter ignored: fields in which equal requests may differ, such as `traceparent`. The fields of the first request are
  ///   sent. None by default; names of credentials are never ignored.
  public init(ignoring ignored: Set<HTTPField.Name> = []) { self.ignored = ignored }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe else {
      defer { flights.close(to: Origin(request.url).text) }
      return try await next(request)
    }
    guard request.method == .get || request.method == .head, let key = request.sharingKey(ignoring: ignored(in: request)) else {
      return try await next(request)
    }
    let sent = SentRequest()
    let shared = try await flights.outcome(of: key, to: Origin(request.url).text) {
      let outcome: Result<Response, any Error>
      do {
        outcome = .success(try await next(request.recorded(in: sent)).collected(for: request))
      } catch {
        outcome = .failure(error)
      }
      return Shared(outcome: outcome, sent: sent)
    }
    // Another caller's response can be shared only if no layer below has changed the credentials.
    let isForAll = shared.sent === sent || shared.sent.last?.hasSameCredentials(as: request) == true
    return isForAll ? try shared.outcome.get().answering(request) : try await next(request)
  }

  /// The fields in which a request may differ from an equal one.
  private func ignored(in request: Request) -> Set<HTTPField.Name> {
    ignored.union(request.options.identification.field.map { [$0] } ?? []).filter { !request.secrets.isRemovedCrossOrigin($0) }
  }

  /// The outcome of an exchange, and the record of the sent requests.
  private struct Shared: Sendable {
    let outcome: Result<Response, any Error>
    let sent: SentRequest
  }

  /// The number of different exchanges in flight.
  var flightCount: Int { flights.count }
  /// The number of callers that wait for an exchange.
  var waiterCount: Int { flights.waiterCount }

  /// The exchanges in flight that can be joined, and their callers. An exchange without callers is removed.
  private final class Flights: Sendable {
    private struct Flight {
      let exchange = SingleFlight<Shared>()
      let origin: String
      var callers = 0
    }

    private let flights = Mutex<[Request.SharingKey: Flight]>([:])

    var count: Int { flights.withLock { $0.count } }
    var waiterCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.exchange.waiterCount } } }

    /// Closes the exchanges to this origin for new callers. Their present callers still get responses.
    func close(to origin: String) {
      flights.withLock { flights in flights = flights.filter { $0.value.origin != origin } }
    }

    func outcome(
      of key: Request.SharingKey, to origin: String, _ send: @escaping @Sendable () async -> Shared
    ) async throws -> Shared {
      let exchange = flights.withLock { flights in
        var flight = flights[key] ?? Flight(origin: origin)
        flight.callers += 1
        flights[key] = flight
        return flight.exchange
      }
      defer {
        flights.withLock { flights in
          // A newer exchange may have replaced it.
          guard flights[key]?.exchange === exchange else { return }
          flights[key]?.callers -= 1
          if flights[key]?.callers == 0 { flights[key] = nil }
        }
      }
      return try await exchange.value(send)
    }
  }
}

extension Middleware where Self == Coalescing {
  /// Sends one of several equal GET or HEAD requests that are in flight at the same time, and gives its response to all.
  public static var coalescing: Self { Self() }

  /// Coalesces requests that may differ in these header fields.
  public static func coalescing(ignoring ignored: Set<HTTPField.Name>) -> Self { Self(ignoring: ignored) }
}
