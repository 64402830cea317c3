import Faraday

/// What happens to a job after its attempt.
enum Verdict: Sendable, Equatable {
  case done(label: String)
  /// An upstream may work later.
  case later(after: Duration, reason: String)
  /// A limit has refused to send the request. The attempt does not count.
  case refused(after: Duration, reason: String)
  case failed(reason: String)

  /// The highest number of attempts that count.
  static let maximumAttempts = 20

  /// The verdict on an error.
  init(_ error: any Error, attempt: Int, random: Double = .random(in: 0...1)) {
    let reason = Self.reason(error)
    if let refusal = error as? RefusedRequestError {
      // All jobs of a tenant get the same answer: at random times after it, or they would return together.
      self = .refused(after: (refusal.retryAfter ?? .seconds(1)) + .seconds(1) * random, reason: reason)
    } else if !Self.mayWorkLater(error) || attempt >= Self.maximumAttempts {
      self = .failed(reason: reason)
    } else {
      let bound = min(Duration.milliseconds(200) * (1 << min(attempt, 10)), .seconds(30))
      self = .later(after: bound * random, reason: reason)
    }
  }

  /// What the tenant may see. The description of an error is for the log: it has no secrets, but names of hosts and addresses.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as RefusedRequestError:
      if case .rateLimited = error.reason { "the rate limit is reached" } else { "an upstream fails" }
    case let error as StatusError: "status \(error.status.code)"
    case let error as TransportError: error.code.rawValue
    default: "\(type(of: error))"
    }
  }

  private static func mayWorkLater(_ error: any Error) -> Bool {
    guard let error = error as? any FaradayError else { return error is CancellationError }
    // 500 is not a status that a client repeats at once. A job can wait.
    return error.isTransient || (error as? StatusError)?.status.kind == .serverError
      || (error as? TransportError)?.code == .shuttingDown
  }
}
