import Faraday
import FaradayTesting
import Foundation
import Harness
import Testing

/// Three processes of the service with one Redis.
@Suite(.enabled(if: RedisServer.program != nil, "needs redis-server"), .timeLimit(.minutes(5)))
struct ClusterTests {
  /// A busy machine must not make a process count in memory.
  private static let patient = ["REDIS_TIMEOUT": "60"]

  @Test func `one tenant's limit holds over all processes`() async throws {
    let (redis, upstreams) = (try await RedisServer(), try FakeUpstreams())
    let limit = ["TENANT_PAGES": "5", "TENANT_INTERVAL": "36000"].merging(Self.patient) { $1 }
    let processes = try await start(3, redis, upstreams, limit)
    var ids: [String] = []
    for index in 0..<12 {
      ids.append(try await accepted(by: processes[index % 3], tenant: "a", url: upstreams.url + "/page/\(index)"))
    }
    let other = try await accepted(by: processes[0], tenant: "b", url: upstreams.url + "/page/b")
    try await finished([other], by: processes[1])
    let jobs = try await eventually {
      var jobs: [ServiceProcess.Job] = []
      for id in ids { jobs.append(try await processes[2].job(id)) }
      return jobs.allSatisfy { $0.state == "done" || $0.reason != nil } ? jobs : nil
    }
    #expect(jobs.filter { $0.state == "done" }.count == 5)
    #expect(jobs.filter { $0.state == "queued" && $0.reason?.contains("rate limit") == true }.count == 7)
    #expect(upstreams.lines.filter { $0.hasPrefix("GET /page/") && $0 != "GET /page/b" }.count == 5)
    try await stop(processes, redis)
  }

  @Test func `the death of a process loses no job`() async throws {
    let (redis, gate) = (try await RedisServer(), Gate())
    // The calls of the process that dies hang until it is dead.
    let upstreams = try FakeUpstreams { request in
      if request.line == "POST /classify" { await gate.opened() }
      return nil
    }
    let settings = ["SLOTS": "4", "LEASE": "2", "CALL_LIMIT": "600"].merging(Self.patient) { $1 }
    let first = try await ServiceProcess(redis, upstreams, settings)
    var ids: [String] = []
    for index in 0..<6 { ids.append(try await accepted(by: first, tenant: "a", url: upstreams.url + "/page/\(index)")) }
    try await eventually { upstreams.lines.filter { $0 == "POST /classify" }.count == 4 ? true : nil }
    try await first.child.end(SIGKILL)
    gate.open()
    let others = try await start(2, redis, upstreams, settings)
    let jobs = try await finished(ids, by: others[0])
    #expect(jobs.allSatisfy { $0.state == "done" && $0.label == "page" })
    // On a slow machine the lease of another job can end too.
    #expect(jobs.filter { $0.claims >= 2 }.count >= 4)
    #expect(Set(upstreams.archived.keys) == Set(ids))
    try await stop(others, redis)
  }

  @Test func `the death of Redis stops only what needs it`() async throws {
    let (redis, gate) = (try await RedisServer(), Gate())
    let upstreams = try FakeUpstreams { request in
      if request.line == "POST /classify" { await gate.opened() }
      return nil
    }
    let processes = try await start(3, redis, upstreams, ["CALL_LIMIT": "600"])
    var ids: [String] = []
    for (index, process) in processes.enumerated() {
      ids.append(try await accepted(by: process, tenant: "a", url: upstreams.url + "/page/\(index)"))
    }
    try await eventually { upstreams.lines.filter { $0 == "POST /classify" }.count == 3 ? true : nil }
    try await redis.child.end(SIGKILL)
    // The jobs that have begun reach the archive. The circuits are counted in memory.
    gate.open()
    try await eventually { Set(upstreams.archived.keys) == Set(ids) ? true : nil }
    for process in processes {
      let refusal = try await process.submit(tenant: "a", url: upstreams.url + "/page/new")
      #expect(refusal.status == .serviceUnavailable && refusal.headers[.retryAfter] == "1")
      #expect(try await process.connection.get("health").status == .ok)
      #expect(try await process.connection.get("metrics").status == .ok)
    }
    // A new Redis takes over the socket.
    let second = try await RedisServer(in: redis.folder)
    for process in processes {
      let id = try await eventually { try? await accepted(by: process, tenant: "a", url: upstreams.url + "/page/later") }
      try await finished([id], by: process)
    }
    try await stop(processes, second)
  }

  @Test func `a process shuts down when its jobs have ended`() async throws {
    let (redis, gate) = (try await RedisServer(), Gate())
    let upstreams = try FakeUpstreams { request in
      if request.line == "POST /classify" { await gate.opened() }
      return nil
    }
    let processes = try await start(2, redis, upstreams, Self.patient)
    let id = try await accepted(by: processes[0], tenant: "a", url: upstreams.url + "/page/1")
    try await eventually { upstreams.lines.contains("POST /classify") ? true : nil }
    for process in processes { process.child.signal(SIGTERM) }
    // One of them has the job. The other one ends at once.
    try await eventually { processes.filter { $0.child.isRunning }.count == 1 ? true : nil }
    gate.open()
    try await eventually { processes.contains { $0.child.isRunning } ? nil : true }
    #expect(upstreams.archived == [id: 1])
    let third = try await ServiceProcess(redis, upstreams, Self.patient)
    #expect(try await third.job(id).claims == 1)
    try await stop([third], redis)
  }

  @Test(.enabled(if: Child.installed("promtool") != nil, "needs promtool"))
  func `Prometheus accepts the metrics`() async throws {
    let (redis, upstreams) = (try await RedisServer(), try FakeUpstreams())
    let process = try await ServiceProcess(redis, upstreams, Self.patient)
    let id = try await accepted(by: process, tenant: "a", url: upstreams.url + "/page/1")
    try await finished([id], by: process)
    let metrics = try await process.connection.get("metrics").text()
    #expect(metrics.contains("http_client_request_duration_seconds_bucket"))
    #expect(metrics.contains("job_attempt_duration_seconds_count{outcome=\"done\"} 1"))
    #expect(try await problem(of: metrics) == nil)
    try await stop([process], redis)
  }

  private func start(
    _ count: Int, _ redis: RedisServer, _ upstreams: FakeUpstreams, _ settings: [String: String]
  ) async throws -> [ServiceProcess] {
    var processes: [ServiceProcess] = []
    for _ in 0..<count { processes.append(try await ServiceProcess(redis, upstreams, settings)) }
    return processes
  }

  private func stop(_ processes: [ServiceProcess], _ redis: RedisServer) async throws {
    for process in processes { try await process.child.end(SIGTERM) }
    try await redis.remove()
  }

  /// Orders a job, and returns its identifier.
  private func accepted(by process: ServiceProcess, tenant: String, url: String) async throws -> String {
    let response = try await process.submit(tenant: tenant, url: url)
    return try await response.decode(ServiceProcess.Job.self, accepting: [202]).id
  }

  /// Waits until the jobs have ended.
  @discardableResult
  private func finished(_ ids: [String], by process: ServiceProcess) async throws -> [ServiceProcess.Job] {
    var jobs: [ServiceProcess.Job] = []
    for id in ids {
      jobs.append(
        try await eventually {
          let job = try await process.job(id)
          return ["done", "failed"].contains(job.state) ? job : nil
        })
    }
    return jobs
  }
}
