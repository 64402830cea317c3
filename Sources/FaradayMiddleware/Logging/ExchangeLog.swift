private import Synchronization

/// The last exchanges, in memory, for tests and for a look at a running program. Without secrets, as ``ExchangeRecord`` has none.
///
///     let log = ExchangeLog()
///     connection.use(.exchangeLog(log))
///     print(log)
///     print(log.exchanges.last?.response?.headers[.server] ?? "")
///
/// Thread-safe.
public final class ExchangeLog: Sendable {
  /// How many exchanges that have ended are kept.
  public let maximumCount: Int

  private let state = Mutex(State())

  private struct State {
    var running: [Int: ExchangeRecord] = [:]
    var ended: [ExchangeRecord] = []
  }

  /// - Parameter maximumCount: how many exchanges that have ended are kept; 100 by default. The oldest go first.
  public init(maximumCount: Int = 100) { self.maximumCount = max(0, maximumCount) }

  /// Those that have ended, in the order of their ends.
  public var exchanges: [ExchangeRecord] { state.withLock { $0.ended } }

  /// Those that have not, in the order in which they began.
  public var running: [ExchangeRecord] { state.withLock { $0.running.values.sorted { $0.id < $1.id } } }

  /// Forgets those that have ended.
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
  /// All that have ended and then those that have not, each on a line or, in full, on several.
  public var description: String { (exchanges + running).map(\.description).joined(separator: "\n") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
