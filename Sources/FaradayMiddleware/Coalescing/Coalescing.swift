private import Synchronization
public import FaradayCore

/// Sends one of several equal GET or HEAD requests that are in flight at the same time, and gives its response to all (request
/// coalescing, single-flight).
///
///     connection.use(.authorization(.bearer(token)))
///     connection.use(.coalescing)
///
/// - Equal are requests with the same method, URL, header fields (credentials too, in the same order) and options, over
///   connections with the same base URL, default headers and secrets. Fields of ``init(ignoring:)`` do not count. So it is never
///   shared across credentials, if it stands below what adds them: `Cookies`, `Authorization`, `TokenRefresh`. A middleware below
///   it that adds the credentials of a task, from a task-local value for instance, would break that.
/// - Only what the caller gets whole (``FaradayCore/Options/deliversWhole``) is shared, without a body and without callbacks.
///   Everything else passes by. So does a request with an option under a key of one's own whose value is not `Hashable`, as it
///   cannot be compared.
/// - All get the same response, or the same error. One that comes after the response has its own exchange: nothing is kept.
/// - Nobody joins an exchange that began before a request with an unsafe method (POST, PUT, PATCH, DELETE) to the same origin has
///   ended here, whatever came of that: who has changed something, and asks, must not get an answer from before.
/// - A caller that is cancelled leaves the others alone. When the last one is, the exchange is cancelled.
///
/// The exchange runs in a task of its own, with the priority and task-local values of the first caller. The size limit is that of
/// the options, which are the same. Copies share what is in flight. Thread-safe.
public struct Coalescing: Middleware {
  private let ignored: Set<HTTPField.Name>
  private let flights = Flights()

  /// - Parameter ignored: fields in which equal requests may differ: `X-Request-ID`, `traceparent`. The first request's are sent.
  ///   None by default; names of credentials are never ignored.
  public init(ignoring ignored: Set<HTTPField.Name> = []) { self.ignored = ignored }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard request.method.isSafe else {
      defer { flights.close(to: Origin(request.url).text) }
      return try await next(request)
    }
    guard request.method == .get || request.method == .head,
      let key = request.sharingKey(ignoring: ignored.filter { !request.secrets.isRemovedCrossOrigin($0) })
    else { return try await next(request) }
    return try await flights.response(to: key, of: Origin(request.url).text) {
      try await next(request).collected(for: request)
    }
  }

  /// How many different exchanges are in flight.
  var flightCount: Int { flights.count }
  /// How many callers wait for one.
  var waiterCount: Int { flights.waiterCount }

  /// The exchanges in flight that can be joined, and their callers. One that nobody waits for is forgotten.
  private final class Flights: Sendable {
    private struct Flight {
      let exchange = SingleFlight<Response>()
      let origin: String
      var callers = 0
    }

    private let flights = Mutex<[Request.SharingKey: Flight]>([:])

    var count: Int { flights.withLock { $0.count } }
    var waiterCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.exchange.waiterCount } } }

    /// Lets nobody join those to this origin any more. Their callers get their answers.
    func close(to origin: String) {
      flights.withLock { flights in flights = flights.filter { $0.value.origin != origin } }
    }

    func response(
      to key: Request.SharingKey, of origin: String, _ send: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
      let exchange = flights.withLock { flights in
        var flight = flights[key] ?? Flight(origin: origin)
        flight.callers += 1
        flights[key] = flight
        return flight.exchange
      }
      defer {
        flights.withLock { flights in
          // Another may have taken its place.
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
