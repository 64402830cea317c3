import Faraday

/// The result of a transfer, whether it succeeded or failed, with all its exchanges: redirects, and requests that failed.
struct Report {
  /// The first request, as it was to be sent; nil if something was wrong before there was one.
  let request: Request?
  /// The URL as it was given.
  var inputURL: String
  /// The number of the URL on the command line, from 0.
  var urlNumber = 0
  /// How often it was tried again.
  var retryCount = 0
  /// The exchanges of the last attempt, in order.
  var hops: [HopRecorder.Hop] = []
  /// The response, or as much of it as was received.
  var response: Response?
  var failure: CommandFailure?
  /// Whether the body was not wanted when it came.
  var hasDroppedBody = false
  /// The file that the body was written to; nil for standard output.
  var filename: String?
  /// The bytes of all heads that were received, and the number of fields in the last one.
  var headSize = 0
  var headFieldCount = 0
  /// The status of the server's last head, also if the response has failed.
  var lastStatus = 0
  /// From sending the request to the end, measured here: what was not sent has no metrics.
  var elapsed: Duration = .zero

  init(_ request: Request) {
    self.request = request
    inputURL = request.url.absoluteString
  }

  /// The result of a transfer that nothing was sent for.
  init(unsent url: String) {
    request = nil
    inputURL = url
  }

  /// The metrics of the last exchange, with times that include the exchanges before it, as curl's do.
  var metrics: TransferMetrics {
    var metrics = response?.metrics ?? hops.last?.metrics ?? TransferMetrics()
    let hasEnded = metrics.total != nil
    for hop in hops.dropLast() {
      for time in [\TransferMetrics.queue, \.dns, \.connect, \.tls, \.firstByte, \.total] {
        guard let spent = hop.metrics?[keyPath: time] else { continue }
        metrics[keyPath: time] = (metrics[keyPath: time] ?? .zero) + spent
      }
    }
    if !hasEnded { metrics.total = elapsed }
    if hasDroppedBody { metrics.bytesReceived = 0 }
    return metrics
  }

  /// The time of the redirects, before the last exchange began.
  var redirectTime: Duration {
    hops.dropLast().reduce(.zero) { $0 + ($1.metrics?.total ?? $1.metrics?.firstByte ?? .zero) }
  }

  /// How many connections were opened, over all exchanges.
  var connectionCount: Int {
    hops.count { $0.metrics?.remoteAddress != nil && $0.metrics?.reusedConnection == false }
  }

  /// The request that was sent last: a redirect may have changed it.
  var lastRequest: Request? { hops.last?.request ?? request }

  /// The URL of the last exchange.
  var effectiveURL: String {
    if case .verbatim(let target) = lastRequest?.options.requestTarget, target.hasPrefix("ftp://") { return target }
    return (response?.url ?? lastRequest?.url)?.absoluteString ?? inputURL
  }

  var exitStatus: Int32 { failure?.status ?? 0 }

  /// The status of the last response: 0 if there is none, or if it is HTTP/0.9, which has none.
  var statusCode: Int { response.map { $0.version == .http0_9 ? 0 : $0.status.code } ?? lastStatus }

  /// The server's address and port, without brackets.
  var remote: (ip: String, port: String) { Self.parts(of: metrics.remoteAddress) }

  /// Where a redirect leads that was not followed; nil if the response is none.
  var redirectURL: String? {
    guard let response, (300..<400).contains(response.status.code), let location = response.headers[.location], !location.isEmpty
    else { return nil }
    return URL(text: location, relativeTo: response.url)?.absoluteURL.absoluteString
  }

  static func parts(of address: String?) -> (ip: String, port: String) {
    guard let address, let colon = address.lastIndex(of: ":") else { return ("", "0") }
    return (address[..<colon].filter { $0 != "[" && $0 != "]" }, String(address[address.index(after: colon)...]))
  }
}

extension Report {
  /// The local address and port; empty and 0 if they are not known.
  var local: (ip: String, port: String) { Self.parts(of: metrics.localAddress) }

  /// The status of the proxy's answer to CONNECT; 0 without one.
  var proxyStatus: Int { hops.compactMap { $0.metrics?.proxyStatus }.last ?? 0 }

  /// The last status among those of all heads that is the server's: those up to a proxy's answer to CONNECT are the proxy's.
  func serverStatus(in statuses: [Int]) -> Int {
    guard let hop = hops.last, let answer = hop.metrics?.proxyStatus else { return statuses.last ?? 0 }
    let own = statuses.dropFirst(hop.earlierHeads)
    guard (200..<300).contains(answer), let end = own.firstIndex(of: answer) else { return 0 }
    return own[(end + 1)...].last ?? 0
  }

  /// The bytes of all requests: their heads, and small bodies that were sent with them.
  var requestSize: Int64 { hops.reduce(0) { $0 + ($1.metrics?.requestSize ?? 0) } }
}
