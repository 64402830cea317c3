import Logging
import Synchronization
import Tracing

/// A tracer that logs each span at its end, and sends its context to upstreams as `traceparent` (W3C Trace Context).
///
/// It stands in for a tracer with an exporter, which is set here in the same way.
struct LoggingTracer: Tracer {
  let logger: Logger

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> LoggedSpan {
    LoggedSpan(operationName, in: context(), from: instant().nanosecondsSinceEpoch, logger)
  }

  func forceFlush() {}

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let ids = context[SpanIDs.self] else { return }
    injector.inject("00-\(ids.trace)-\(ids.span)-01", forKey: "traceparent", into: &carrier)
  }

  /// The service takes no part in the traces of its callers.
  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
}

/// The identifiers of a span, as hexadecimal digits.
private struct SpanIDs: Sendable {
  let trace: String
  let span: String
}

extension SpanIDs: ServiceContextKey {
  typealias Value = SpanIDs
}

/// A span that is logged at its end.
final class LoggedSpan: Span {
  let context: ServiceContext
  private let start: UInt64
  private let logger: Logger
  private let state: Mutex<State>

  private struct State {
    var name: String
    var attributes: SpanAttributes = [:]
    var hasFailed = false
    var isRecording = true
  }

  fileprivate init(_ name: String, in parent: ServiceContext, from start: UInt64, _ logger: Logger) {
    func digits() -> String { hexadecimal(.random(in: 1 ... .max)) }
    let above = parent[SpanIDs.self]
    let ids = SpanIDs(trace: above?.trace ?? digits() + digits(), span: digits())
    var context = parent
    context[SpanIDs.self] = ids
    self.context = context
    self.start = start
    var logger = logger
    logger[metadataKey: "trace"] = "\(ids.trace)"
    logger[metadataKey: "span"] = "\(ids.span)"
    logger[metadataKey: "parent"] = "\(above?.span ?? "none")"
    self.logger = logger
    state = Mutex(State(name: name))
  }

  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }
  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }
  var isRecording: Bool { state.withLock { $0.isRecording } }

  func setStatus(_ status: SpanStatus) { state.withLock { $0.hasFailed = status.code == .error } }
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let last = state.withLock { state in
      defer { state.isRecording = false }
      return state
    }
    guard last.isRecording else { return }
    var metadata: Logger.Metadata = [:]
    last.attributes.forEach { name, value in metadata[name] = "\(text(value))" }
    let milliseconds = Double(instant().nanosecondsSinceEpoch &- start) / 1e6
    logger.debug("span \(last.name)\(last.hasFailed ? " failed" : "") in \(milliseconds) ms", metadata: metadata)
  }
}

private func text(_ attribute: SpanAttribute) -> String {
  switch attribute {
  case .string(let text): text
  case .int32(let number): "\(number)"
  case .int64(let number): "\(number)"
  default: "\(attribute)"
  }
}

private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
