internal import FaradayCore
internal import Synchronization

/// What an engine counts: changed on its thread, and read on any. Errors are the exception, which may occur on any thread.
final class EngineCounters: Sendable {
  /// A number that one thread at a time changes: a load and a store, without a lock or an atomic addition.
  struct Counter: ~Copyable, Sendable {
    private let number = Atomic<Int64>(0)
    var value: Int64 { number.load(ordering: .relaxed) }
    func set(_ value: Int) { number.store(Int64(value), ordering: .relaxed) }
    func add(_ count: Int64) { number.store(value &+ count, ordering: .relaxed) }
  }

  /// The connections to an origin, or all of them.
  final class Connections: Sendable {
    let open = Counter()
    /// Those that are open and have an active exchange.
    let used = Counter()
    let opened = Counter()
    /// Those that are being made.
    let connecting = Counter()

    var size: Int { Int(open.value + connecting.value) }

    var snapshot: AdapterStatistics.Connections {
      let open = Int(open.value)
      return AdapterStatistics.Connections(open: open, idle: max(0, open - Int(used.value)), opened: Int(opened.value))
    }
  }

  /// The maximum number of origins that are remembered, besides those with open connections.
  static let maximumOrigins = 1000

  let active = Counter()
  let completed = Counter()
  let cancelled = Counter()
  let bytesSent = Counter()
  let bytesReceived = Counter()
  let connections = Connections()
  private let origins = Mutex<[String: Connections]>([:])
  private let errors = Mutex<[TransportError.Code: Int]>([:])

  /// The counters of an origin, if it has had connections lately.
  func known(_ key: String) -> Connections? { origins.withLock { $0[key] } }

  /// The counters of an origin. Called only when a socket is opened.
  func origin(_ key: String) -> Connections {
    origins.withLock { origins in
      if let known = origins[key] { return known }
      if origins.count >= Self.maximumOrigins { origins = origins.filter { $0.value.size > 0 } }
      let new = Connections()
      origins[key] = new
      return new
    }
  }

  /// Counts an exchange that has ended; on any thread if it has failed.
  func ended(_ error: (any Error)?) {
    switch error {
    case nil: completed.add(1)
    case is CancellationError: cancelled.add(1)
    case let error: errors.withLock { $0[AdapterStatistics.code(of: error), default: 0] += 1 }
    }
  }

  /// The statistics so far; all but the number of queued exchanges.
  var statistics: AdapterStatistics {
    var statistics = AdapterStatistics()
    statistics.active = Int(active.value)
    statistics.completed = Int(completed.value)
    statistics.cancelled = Int(cancelled.value)
    statistics.bytesSent = bytesSent.value
    statistics.bytesReceived = bytesReceived.value
    statistics.connections = connections.snapshot
    statistics.origins = origins.withLock { $0 }.filter { $0.value.opened.value > 0 || $0.value.open.value > 0 }.mapValues(
      \.snapshot)
    statistics.errors = errors.withLock { $0 }
    return statistics
  }
}
