import Faraday

/// The counters of rate limits and circuit breakers in Redis, so that all processes count together.
struct RedisLimitStore: LimitStore {
  let redis: Redis

  /// Longer than the time limit of the client: its errors count a request in memory at once.
  var maximumWait: Duration { redis.timeout * 2 }

  func value(for key: String) async throws -> String? {
    try await redis.send(["GET", "limit:" + key]).text
  }

  func replace(_ old: String?, with new: String, for key: String, lifetime: Duration) async throws -> Bool {
    // A state is never empty, so an empty text means that there is no state.
    let script = """
      if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
      redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
      return 1
      """
    let seconds = max(1, lifetime.components.seconds)
    return try await redis.eval(script, ["limit:" + key], [old ?? "", new, "\(seconds)"]) == .integer(1)
  }
}
