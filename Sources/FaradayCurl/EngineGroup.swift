internal import FaradayCore
internal import Synchronization

/// The engines of an adapter. It is released with the adapter's last copy, and then stops them.
final class EngineGroup: TaskExecutor {
  let settings: Transfer.Settings
  private let engines: [EngineHandle]
  private let next = Atomic<Int>(0)
  /// How many connections to one origin each engine may have, the first for the origin's own engine. There are no more than
  /// connections.
  private let shares: [Int]

  init(_ configuration: CurlAdapter.Configuration) {
    settings = Transfer.Settings(configuration)
    engines = (0..<max(1, configuration.engines)).map { _ in EngineHandle(configuration) }
    let connections = max(1, configuration.connectionsPerOrigin)
    let parts = min(engines.count, connections)
    shares = (0..<parts).map { (connections + parts - 1 - $0) / parts }
  }

  deinit {
    for engine in engines { engine.stop() }
  }

  /// The engine for a request: that of its origin (by hash), so that the origin's connections are shared.
  ///
  /// While that has as many requests as its share of the connections to one origin, those that cannot share a connection (HTTP/1.1)
  /// go to the next one with fewer, so that one origin is not limited to one processor. If all have as many, to the one with the
  /// fewest. Requests to all origins count, and a request stays with its engine: it may wait there while another engine has a
  /// connection free.
  func engine(for transfer: Transfer) -> EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    let home = Int(UInt(bitPattern: transfer.target.origin.hashValue) % UInt(engines.count))
    guard !transfer.mayBeHTTP2, !transfer.mayBeHTTP3 else { return engines[home] }
    var (chosen, least) = (home, Int.max)
    for number in 0..<shares.count {
      let place = (home + number) % engines.count
      let load = engines[place].load
      guard load < shares[number] || load < least else { continue }
      (chosen, least) = (place, load)
      transfer.connectionLimit = shares[number]
      if load < shares[number] { break }
    }
    return engines[chosen]
  }

  var statistics: AdapterStatistics {
    engines.reduce(into: AdapterStatistics()) { $0.add($1.statistics) }
  }

  func drain(until deadline: ContinuousClock.Instant) async -> Int {
    for engine in engines { engine.refuseSubmissions() }
    return await Draining.drain(until: deadline) { [engines] in
      for engine in engines { await engine.untilIdle() }
    } cut: { [engines] in
      var count = 0
      for engine in engines { count += await engine.cut() }
      return count
    }
  }

  /// Sends a command to each engine that has a thread.
  func post(_ command: Command) {
    for engine in engines { engine.post(command) }
  }

  // MARK: tasks

  /// Whether the current task runs on the engines' threads.
  var isPreferred: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() } }

  func enqueue(_ job: UnownedJob) {
    engineForJob.enqueue(Job(job: job, executor: asUnownedTaskExecutor()))
  }

  /// The current thread's engine, if it has one; otherwise each in turn (round robin).
  private var engineForJob: EngineHandle {
    guard engines.count > 1 else { return engines[0] }
    if let current = engines.first(where: \.isCurrent) { return current }
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return engines[Int(UInt(bitPattern: turn) % UInt(engines.count))]
  }
}
