private import Synchronization
public import FaradayCore

/// Sends one of several equal GET or HEAD requests that are in flight at the same time, and gives its response to all (request
/// coalescing, single-flight).
///
///     middleware: .standard(authorization: .authorization(.bearer(token)), coalescing: .coalescing)
///
/// - Equal are requests with the same method, URL, header fields (credentials too, in the same order) and options, over
///   connections with the same base URL, default headers and secrets. Fields of ``init(ignoring:)`` and the field of a
///   ``RequestID`` above do not count.
/// - A response is never shared across credentials. Put it below what adds them: `Cookies`, `Authorization`, `TokenRefresh`. If a
///   layer below it has added credentials, or has answered without sending the request, each caller sends its own request after
///   all.
/// - Only what the caller gets whole (``FaradayCore/Options/deliversWhole``) is shared, without a body and without callbacks.
///   Everything else passes by. So does a request with an option under a key of one's own whose value is not `Hashable`, as it
///   cannot be compared.
/// - Above ``Retry``, ``Hedging`` and the limits, as in the standard list, one exchange counts there once for all its callers.
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

  /// - Parameter ignored: fields in which equal requests may differ, such as `traceparent`. The first request's are sent.
  ///   None by default; names of credentials are never ignored.
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
    // Whom another caller's response is for is known only if no layer below has changed that.
    let isForAll = shared.sent === sent || shared.sent.last?.hasSameCredentials(as: request) == true
    return isForAll ? try shared.outcome.get() : try await next(request)
  }

  /// The fields in which a request may differ from an equal one.
  private func ignored(in request: Request) -> Set<HTTPField.Name> {
    ignored.union(request.options.identification.field.map { [$0] } ?? []).filter { !request.secrets.isRemovedCrossOrigin($0) }
  }

  /// What came of an exchange, and the record of what it sent.
  private struct Shared: Sendable {
    let outcome: Result<Response, any Error>
    let sent: SentRequest
  }

  /// How many different exchanges are in flight.
  var flightCount: Int { flights.count }
  /// How many callers wait for one.
  var waiterCount: Int { flights.waiterCount }

  /// The exchanges in flight that can be joined, and their callers. One that nobody waits for is forgotten.
  private final class Flights: Sendable {
    private struct Flight {
      let exchange = SingleFlight<Shared>()
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
