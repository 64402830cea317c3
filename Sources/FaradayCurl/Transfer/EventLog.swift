internal import CCurl
@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// The events of an exchange, for `Configuration.onEvent`: their exchange number and times, and the phases that were reported
/// for the connection.
struct EventLog {
  private static let numbers = Atomic<Int>(0)

  /// Whether events are reported. Otherwise each event costs a comparison.
  let isOn: Bool
  /// The number of the exchange; 0 if no events are reported.
  let number: Int
  /// The time of the last event, in nanoseconds of `Clock`.
  private var last: Int64
  private var hasReportedHead = false
  private var hasReportedBody = false
  /// The bytes of the body that libcurl has written to the connection.
  private var sentBody: Int64 = 0

  init(isOn: Bool, at now: Int64) {
    self.isOn = isOn
    number = isOn ? Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue : 0
    last = now
  }

  /// Returns the time of an event: now, unless a time is given. Times never go back.
  mutating func time(of event: Int64?) -> Int64 {
    let now = Clock.now
    last = max(last, min(event ?? now, now))
    return last
  }

  /// Notes that the request is about to be sent over a connection, from its start.
  mutating func beginConnection() { (hasReportedHead, hasReportedBody, sentBody) = (false, false, 0) }

  /// Notes bytes that libcurl has written to the socket, according to its log. Returns the reached phase.
  ///
  /// - Parameter length: the length of the request's body; nil if it is unknown.
  mutating func noteSent(_ kind: curl_infotype, _ count: Int, length: Int64?) -> ExchangeEvent.Phase? {
    if kind == CURLINFO_HEADER_OUT, !hasReportedHead {
      hasReportedHead = true
      return .headSent
    }
    guard kind == CURLINFO_DATA_OUT, let length else { return nil }
    sentBody += Int64(count)
    return sentBody >= length && noteBodyIsSent() ? .bodySent : nil
  }

  /// Notes that the whole body was sent. Returns whether that must be reported.
  mutating func noteBodyIsSent() -> Bool {
    guard isOn, !hasReportedBody else { return false }
    hasReportedBody = true
    return true
  }
}

extension TraceEvent.Kind {
  /// Nil for the bytes of TLS records, which a trace does not contain.
  init?(_ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT: self = .text
    case CURLINFO_HEADER_IN: self = .headerIn
    case CURLINFO_HEADER_OUT: self = .headerOut
    case CURLINFO_DATA_IN: self = .dataIn
    case CURLINFO_DATA_OUT: self = .dataOut
    default: return nil
    }
  }
}
