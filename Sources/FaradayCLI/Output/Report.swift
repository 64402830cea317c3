import Faraday

/// The result of a transfer, whether it succeeded or failed.
struct Report {
  let method: String
  let requestURL: String
  /// The response, or as much of it as was received.
  var response: Response?
  var failure: CommandFailure?
  /// From sending the request to the end, measured here: a failed transfer has no metrics.
  var elapsed: Duration = .zero

  init(_ request: Request) {
    method = request.method.rawValue
    requestURL = request.url.absoluteString
  }

  /// The metrics of the last exchange, with times that include the redirects before it, as curl's do.
  var metrics: TransferMetrics {
    var metrics = response?.metrics ?? TransferMetrics()
    let hasEnded = metrics.total != nil
    for hop in response?.redirects ?? [] {
      for time in [\TransferMetrics.queue, \.dns, \.connect, \.tls, \.firstByte, \.total] {
        guard let spent = hop.metrics[keyPath: time] else { continue }
        metrics[keyPath: time] = (metrics[keyPath: time] ?? .zero) + spent
      }
    }
    if !hasEnded { metrics.total = elapsed }
    return metrics
  }

  /// The time of the redirects, before the last exchange began.
  var redirectTime: Duration {
    (response?.redirects ?? []).reduce(.zero) { $0 + ($1.metrics.total ?? $1.metrics.firstByte ?? .zero) }
  }

  /// How many connections were opened, over all redirects.
  var connectionCount: Int {
    let exchanges = (response?.redirects.map(\.metrics) ?? []) + [response?.metrics ?? TransferMetrics()]
    return exchanges.count { $0.remoteAddress != nil && !$0.reusedConnection }
  }

  var exitStatus: Int32 { failure?.status ?? 0 }

  /// The server's address and port, without brackets.
  var remote: (ip: String, port: String) {
    guard let address = metrics.remoteAddress, let colon = address.lastIndex(of: ":") else { return ("", "0") }
    let ip = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return (ip, String(address[address.index(after: colon)...]))
  }
}
