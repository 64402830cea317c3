import Faraday
import FaradayCurl

// The blocks of Swift in the article "Resilience", each as it stands there; ReadmeTests compares them.

enum ResilienceExamples {
  static func order(token: String) async throws {
    var calm = try Connection(
      "https://api.example.com/v2/", adapter: CurlAdapter(),
      middleware: [.requestID, .timeout(.seconds(30))]
        + .standard(
          authorization: .authorization(.bearer(token)), coalescing: .coalescing, hedging: .hedging(afterPercentile: 0.95),
          circuitBreaker: .circuitBreaker, rateLimit: .rateLimit(50, per: .seconds(1)), concurrencyLimit: .concurrencyLimit(16)))
    calm.secrets.insert("X-Tenant")
    try await refusals(calm)
  }

  static func refusals(_ calm: Connection) async throws {
    do {
      _ = try await calm.get("reports")
    } catch let error as RefusedRequestError {
      if case .circuitOpen(let cause) = error.reason { print(error.key, "fails:", cause) }
      print("not now:", error, "try again in", error.retryAfter ?? .zero)
    }
  }

  static func policies(_ connection: Connection) async throws {
    var connection = connection
    var policy = CircuitBreaker.Policy(failures: 20, ratio: 0.3, window: .seconds(60), delay: .seconds(10))
    policy.probes = 3
    policy.isFailure = { result in (try? result.get())?.status == .tooManyRequests ? true : nil }
    connection.use(.circuitBreaker(policy))
    connection.use(.concurrencyLimit(4, by: .tags, maximumWait: .seconds(10)))
    _ = try await connection.get("reports") { $0.options.tags = ["reports"] }
    _ = try await connection.get("search") { $0.options.priority = .high }
  }

  protocol RedisCommands: Sendable {
    func get(_ key: String) async throws -> String?
    func eval(_ script: String, keys: [String], arguments: [String]) async throws -> Int
  }

  struct RedisLimitStore: LimitStore {
    let redis: any RedisCommands

    func value(for key: String) async throws -> String? { try await redis.get(key) }

    func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool {
      // A state is never empty, so an empty text means that there is no state.
      let script = """
        if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
        return 1
        """
      let seconds = max(1, lifetime.components.seconds)
      return try await redis.eval(script, keys: [key], arguments: [old ?? "", new, "\(seconds)"]) == 1
    }
  }

  func shared(_ redis: any RedisCommands) -> [any Middleware] {
    let store = RedisLimitStore(redis: redis)
    return [
      .retry, CircuitBreaker(store: store),
      RateLimit(RateLimit.Policy(100, per: .seconds(1)), store: store, onStoreError: { print("store:", $0) }),
    ]
  }

  static func pages(_ connection: Connection) async throws -> [String] {
    struct Events: Decodable {
      var items: [String]
      var next: String?
    }

    var all: [String] = []
    let pages = connection.pages(
      "events", prefetch: 2,
      next: { page, request in
        guard let cursor = try await page.decode(Events.self).next else { return nil }
        var request = request
        request.query["cursor"] = cursor
        return request
      })
    for try await page in pages { all += try await page.decode(Events.self).items }
    return all
  }
}
