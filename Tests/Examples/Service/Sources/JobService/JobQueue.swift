import Faraday

/// The jobs in Redis. Each change is one script, which Redis runs as one atomic step with its own clock.
///
/// A sorted set has each unfinished job with the time at which it is due. A claim moves that time to the end of the lease. So the
/// job of a process that has died is due again, without anybody who notices the death. The number of the claim is a fencing token:
/// a process that was only slow cannot change a job that another process has claimed since.
struct JobQueue: Sendable {
  let redis: Redis
  var lease = Duration.seconds(120)
  /// The highest number of unfinished jobs. A queue without a limit only hides an overload.
  var capacity = 100_000
  /// The time for which a finished job can be read.
  var retention = Duration.seconds(86_400)

  /// The keys are in one slot of a cluster, by the tag in braces.
  private static let due = "{jobs}:due"
  private static func key(_ id: String) -> String { "{jobs}:" + id }

  /// The queue has no place for another job.
  struct Full: Error {}

  /// Adds a job, and returns it. Returns the present job if the id is known, so that a client may send its request again.
  func submit(id: String, tenant: String, url: String) async throws -> Job {
    let script = """
      if redis.call('EXISTS', KEYS[2]) == 0 then
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return {} end
        redis.call('HSET', KEYS[2], 'tenant', ARGV[2], 'url', ARGV[3], 'state', 'queued', 'claims', 0, 'attempts', 0)
        redis.call('ZADD', KEYS[1], 0, ARGV[1])
      end
      return redis.call('HGETALL', KEYS[2])
      """
    let reply = try await redis.eval(script, [Self.due, Self.key(id)], [id, tenant, url, "\(capacity)"])
    guard let job = Job(id: id, reply) else { throw Full() }
    return job
  }

  func job(_ id: String) async throws -> Job? {
    Job(id: id, try await redis.send(["HGETALL", Self.key(id)]))
  }

  /// Claims the job that is due for the longest time; nil if none is due.
  func claim() async throws -> Job? {
    let script = """
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      local id = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
      if not id then return {} end
      local key = '{jobs}:' .. id
      redis.call('ZADD', KEYS[1], now + ARGV[1], id)
      redis.call('HSET', key, 'state', 'running')
      redis.call('HINCRBY', key, 'claims', 1)
      redis.call('HINCRBY', key, 'attempts', 1)
      return {id, redis.call('HGETALL', key)}
      """
    let reply = try await redis.eval(script, [Self.due], ["\(lease.milliseconds)"])
    guard case .array(let parts) = reply, parts.count == 2, let id = parts[0].text else { return nil }
    return Job(id: id, parts[1])
  }

  /// Records the verdict on a claimed job. Returns false if the claim is not the last one.
  func settle(_ job: Job, _ verdict: Verdict) async throws -> Bool {
    let script = """
      if redis.call('HGET', KEYS[2], 'claims') ~= ARGV[2] then return 0 end
      redis.call('HSET', KEYS[2], 'state', ARGV[3], ARGV[4], ARGV[5])
      if ARGV[6] == '' then
        redis.call('ZREM', KEYS[1], ARGV[1])
        redis.call('EXPIRE', KEYS[2], ARGV[8])
      else
        local time = redis.call('TIME')
        redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[6], ARGV[1])
        redis.call('HINCRBY', KEYS[2], 'attempts', ARGV[7])
      end
      return 1
      """
    let (state, field, text, delay, uncounted): (Job.State, String, String, Duration?, Int) =
      switch verdict {
      case .done(let label): (.done, "label", label, nil, 0)
      case .failed(let reason): (.failed, "reason", reason, nil, 0)
      case .later(let delay, let reason): (.queued, "reason", reason, delay, 0)
      case .refused(let delay, let reason): (.queued, "reason", reason, delay, -1)
      }
    let reply = try await redis.eval(
      script, [Self.due, Self.key(job.id)],
      [
        job.id, "\(job.claims)", state.rawValue, field, text, delay.map { "\($0.milliseconds)" } ?? "", "\(uncounted)",
        "\(retention.components.seconds)",
      ])
    return reply == .integer(1)
  }
}

extension Job {
  /// Reads a hash of Redis; nil if there is none.
  fileprivate init?(id: String, _ reply: RedisReply) {
    guard case .array(let words) = reply, words.count.isMultiple(of: 2) else { return nil }
    var fields: [String: String] = [:]
    for index in stride(from: 0, to: words.count, by: 2) { fields[words[index].text ?? ""] = words[index + 1].text }
    guard let tenant = fields["tenant"], let url = fields["url"], let state = fields["state"].flatMap({ State(rawValue: $0) })
    else {
      return nil
    }
    self.init(
      id: id, tenant: tenant, url: url, state: state, label: fields["label"],
      // The reason of an earlier attempt means nothing when the job is done.
      reason: state == .done ? nil : fields["reason"], claims: fields["claims"].flatMap { Int($0) } ?? 0,
      attempts: fields["attempts"].flatMap { Int($0) } ?? 0)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { Int64((self / .milliseconds(1)).rounded(.up)) }
}
