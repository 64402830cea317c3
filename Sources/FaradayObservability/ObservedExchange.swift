#if Observability
internal import FaradayCore
internal import Metrics
internal import Tracing

/// A sent request: its span, and the data to record at its end.
struct ObservedExchange: Sendable {
  private let names: ExchangeAttributes
  private let span: any Span
  private let metrics: any MetricsFactory
  private let bodyLength: Int64?
  private let elapsed: @Sendable () -> Duration

  init(
    _ names: ExchangeAttributes, _ span: any Span, _ metrics: any MetricsFactory, bodyLength: Int64?,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    self.names = names
    self.span = span
    self.metrics = metrics
    self.bodyLength = bodyLength
    self.elapsed = elapsed
    span.updateAttributes { $0.merge(names.ofRequest) }
  }

  /// The response, whose body ends the exchange.
  func watching(_ response: Response) -> Response {
    var head = response
    head.body = .empty
    let length = response.body.isStreamed ? nil : response.body.length
    var watched = response
    watched.body = response.body.onEnd { [head] end in
      switch end {
      case .complete: self.end(head, length: length)
      // The number of received bytes is unknown.
      case .dropped: self.end(head, isDropped: true)
      case .failed(let error): self.end(head, length: nil, failure: error)
      }
    }
    return watched
  }

  /// Records the end of the exchange; called once.
  func end(_ head: Response? = nil, length: Int64? = nil, isDropped: Bool = false, failure: (any Error)? = nil) {
    let status = head?.status.code
    let version = head.flatMap { Self.version($0.version) }
    let error = failure.map(Self.type) ?? status.flatMap { $0 >= 400 ? "\($0)" : nil }
    span.updateAttributes { attributes in
      attributes["http.response.status_code"] = status
      attributes["network.protocol.version"] = version
      attributes["error.type"] = error
    }
    // Descriptions of other errors may contain secrets.
    if error != nil { span.setStatus(SpanStatus(code: .error, message: (failure as? TransportError)?.description)) }
    span.end()

    let dimensions = names.dimensions(status: status, version: version, error: error)
    func record(_ label: String, _ value: Double) {
      Recorder(label: label, dimensions: dimensions, aggregate: true, factory: metrics).record(value)
    }
    record("http.client.request.duration", elapsed() / .seconds(1))
    let sent = head?.metrics.bytesSent ?? 0
    if head != nil, let bytes = sent > 0 ? sent : bodyLength { record("http.client.request.body.size", Double(bytes)) }
    let received = head?.metrics.bytesReceived ?? 0
    if head != nil, !isDropped { record("http.client.response.body.size", Double(received > 0 ? received : length ?? 0)) }
  }

  private static func type(of error: any Error) -> String {
    (error as? TransportError)?.code.rawValue ?? "\(Swift.type(of: error))"
  }

  /// `1.1`, `2`; nil if it is unknown.
  private static func version(_ version: HTTPVersion) -> String? {
    guard version != .unknown else { return nil }
    return version.major < 2 ? "\(version.major).\(version.minor)" : "\(version.major)"
  }
}
#endif
