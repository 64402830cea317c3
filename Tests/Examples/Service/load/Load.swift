import Faraday
import Foundation
import Harness
import Synchronization

/// Runs three processes of the service for some time. Their upstreams fail at random, and every 20 seconds one process is killed
/// with SIGKILL and started again. Prints figures, and fails if a job is lost.
///
///     swift run -c release load 600 32      # seconds and producers
final class Load: Sendable {
  private let seconds: Double
  private let producers: Int
  private let end: ContinuousClock.Instant
  private let upstreams: FakeUpstreams
  private let redis: RedisServer
  private let processes: Mutex<[ServiceProcess]>
  private let figures = Mutex(Figures())

  private struct Figures {
    var accepted: [String] = []
    var latencies: [Duration] = []
    var refusals = 0
    var failed = 0
  }

  private static let settings = [
    "TENANT_PAGES": "1000000", "TENANT_INTERVAL": "1", "SLOTS": "8", "LEASE": "8", "LOG_LEVEL": "error",
  ]

  init(seconds: Double, producers: Int) async throws {
    self.seconds = seconds
    self.producers = producers
    upstreams = try FakeUpstreams { _ in
      switch Int.random(in: 0..<100) {
      case 0..<6: .status(.serviceUnavailable)
      case 6..<8: .status(.internalServerError)
      case 8..<10: .text("a response that breaks off").cut(after: 5)
      case 10..<12: .status(.ok).reset(after: nil)
      case 12..<14: .status(.badGateway).delayed(by: .milliseconds(300))
      default: nil
      }
    }
    redis = try await RedisServer()
    var started: [ServiceProcess] = []
    for _ in 0..<3 { started.append(try await ServiceProcess(redis, upstreams, Self.settings)) }
    processes = Mutex(started)
    end = ContinuousClock.now + .seconds(seconds)
  }

  /// Returns whether no job is lost.
  func run() async throws -> Bool {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<producers { group.addTask { try await self.produce(number) } }
      group.addTask { try await self.killInTurn() }
      try await Task.sleep(for: .seconds(min(20, seconds / 4)))
      print("memory of the processes at the beginning: \(memory)")
      try await group.waitForAll()
    }
    print("memory of the processes at the end: \(memory)")
    let isRight = try await report()
    for process in processes.withLock({ $0 }) { try await process.child.end(SIGTERM) }
    try await redis.remove()
    return isRight
  }

  private func anyProcess() -> ServiceProcess { processes.withLock { $0[.random(in: 0..<$0.count)] } }

  /// Orders one job after the other, and waits for each.
  private func produce(_ number: Int) async throws {
    while ContinuousClock.now < end {
      let (key, start) = (UUID(), ContinuousClock.now)
      // A request without a response goes to another process with its key, so that it is one job.
      let id = try await eventually {
        do {
          let page = upstreams.url + "/page/\(Int.random(in: 0..<1000))"
          let response = try await anyProcess().submit(tenant: "tenant-\(number)", url: page, key: key)
          return try await response.decode(ServiceProcess.Job.self, accepting: [202]).id
        } catch is any FaradayError {
          figures.withLock { $0.refusals += 1 }
          return nil
        }
      }
      figures.withLock { $0.accepted.append(id) }
      let job = try await eventually {
        let job = try? await anyProcess().job(id)
        return job?.state == "done" || job?.state == "failed" ? job : nil
      }
      figures.withLock { figures in
        figures.latencies.append(ContinuousClock.now - start)
        if job.state == "failed" { figures.failed += 1 }
      }
    }
  }

  /// Kills the second and the third process in turn, and starts them again. The first lives, so that its memory shows a leak.
  private func killInTurn() async throws {
    var number = 0
    while ContinuousClock.now + .seconds(20) < end {
      try await Task.sleep(for: .seconds(20))
      let place = 1 + number % 2
      try await processes.withLock { $0[place] }.child.end(SIGKILL)
      let new = try await ServiceProcess(redis, upstreams, Self.settings)
      processes.withLock { $0[place] = new }
      number += 1
    }
    print("processes killed and started again: \(number)")
  }

  private var memory: String {
    processes.withLock { $0.map { "\(($0.child.memory ?? 0) >> 20) MiB" }.joined(separator: ", ") }
  }

  private func report() async throws -> Bool {
    let result = figures.withLock { $0 }
    let archived = upstreams.archived
    var lost = 0
    for id in result.accepted {
      let state = try await anyProcess().job(id).state
      if state != "failed", state != "done" || archived[id] == nil { lost += 1 }
    }
    let latencies = result.latencies.sorted()
    func percentile(_ share: Double) -> String {
      latencies.isEmpty ? "-" : "\(Int(latencies[Int(Double(latencies.count - 1) * share)] / .milliseconds(1))) ms"
    }
    print("jobs: \(result.accepted.count) accepted, \(latencies.count) ended, \(result.failed) of them failed, \(lost) lost")
    print("rate: \(Int(Double(latencies.count) / seconds)) jobs/s with \(producers) producers")
    print("time from order to end: p50 \(percentile(0.5)), p99 \(percentile(0.99))")
    print(
      "requests to upstreams: \(upstreams.lines.count), results archived more than once: \(archived.values.filter { $0 > 1 }.count)"
    )
    print("orders that were sent again after an error: \(result.refusals)")
    return lost == 0
  }
}

@main struct Main {
  static func main() async throws {
    guard RedisServer.program != nil else {
      print("load: install redis-server")
      exit(2)
    }
    let arguments = CommandLine.arguments.dropFirst().compactMap { Double($0) }
    let load = try await Load(seconds: arguments.first ?? 60, producers: Int(arguments.dropFirst().first ?? 32))
    exit(try await load.run() ? 0 : 1)
  }
}
