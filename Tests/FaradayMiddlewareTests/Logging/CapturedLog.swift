import FaradayTesting
import Logging

/// The logged events in order.
struct CapturedLog: Sendable {
  private let events = Log<LogEvent>()

  /// Everything as text: messages and metadata.
  var text: String { lines.joined(separator: "\n") }
  var lines: [String] { events.elements.map { "\($0.level) \($0.message) \($0.metadata ?? [:])" } }
  var messages: [String] { events.elements.map { "\($0.message)" } }
  var levels: [Logger.Level] { events.elements.map(\.level) }
  var metadata: [[String: String]] { events.elements.map { ($0.metadata ?? [:]).mapValues { "\($0)" } } }

  /// A logger that writes here.
  func logger(_ level: Logger.Level = .trace) -> Logger {
    var logger = Logger(label: "test") { _ in Handler(events: events) }
    logger.logLevel = level
    return logger
  }

  private struct Handler: LogHandler {
    let events: Log<LogEvent>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { events.append(event) }
  }
}
