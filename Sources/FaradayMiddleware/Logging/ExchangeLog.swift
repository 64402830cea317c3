private import Synchronization

/// Stores the latest exchanges in memory, redacted, for tests and debugging.
///
///     let log = ExchangeLog()
///     connection.use(.exchangeLog(log))
///     print(log)
///     print(log.exchanges.last?.response?.headers[.server] ?? "")
///
/// Thread-safe.
public final class ExchangeLog: Sendable {
  /// The maximum number of completed exchanges.
  public let maximumCount: Int

  private let state = Mutex(State())

  private struct State {
    var running: [Int: ExchangeRecord] = [:]
    var ended: [ExchangeRecord] = []
  }

  /// - Parameter maximumCount: the maximum number of completed exchanges; 100 by default. The oldest are removed first.
  public init(maximumCount: Int = 100) { self.maximumCount = max(0, maximumCount) }

  /// The completed exchanges, in the order in which they ended.
  public var exchanges: [ExchangeRecord] { state.withLock { $0.ended } }

  /// The exchanges that are still running, in the order in which they began.
  public var running: [ExchangeRecord] { state.withLock { $0.running.values.sorted { $0.id < $1.id } } }

  /// Removes the completed exchanges.
  public func removeAll() { state.withLock { $0.ended = [] } }

  func start(_ exchange: ExchangeRecord) { state.withLock { $0.running[exchange.id] = exchange } }

  func end(_ exchange: ExchangeRecord) {
    state.withLock { state in
      state.running[exchange.id] = nil
      state.ended.append(exchange)
      state.ended.removeFirst(max(0, state.ended.count - maximumCount))
    }
  }
}

extension ExchangeLog: CustomStringConvertible, CustomReflectable {
  /// All completed exchanges, then the running ones. Each is on one line, or with full detail on several.
  public var description: String { (exchanges + running).map(\.description).joined(separator: "\n") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
