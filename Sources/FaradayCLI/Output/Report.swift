import Faraday
import Synchronization

/// The result of a transfer, whether it succeeded or failed, with all its exchanges: redirects, and requests that failed.
struct Report {
  /// The first request, before any redirect; nil if an error occurred before the request was composed.
  let request: Request?
  /// The URL argument, unchanged.
  var inputURL: String
  /// The number of the URL on the command line, from 0.
  var urlNumber = 0
  /// The number of retries.
  var retryCount = 0
  /// The exchanges of the last attempt, in order.
  var hops: [HopRecorder.Hop] = []
  /// The response, or the received part of it.
  var response: Response?
  var failure: CommandFailure?
  /// Whether the body was dropped because the response does not meet the condition of `-z`.
  var hasDroppedBody = false
  /// The file that the body was written to; nil for standard output.
  var filename: String?
  /// The bytes of all heads that were received, and the number of fields in the last one.
  var headSize = 0
  var headFieldCount = 0
  /// The time from sending the request to the end, measured by the command: a request that was not sent has no metrics.
  var elapsed: Duration = .zero

  init(_ request: Request?, url: String? = nil) {
    self.request = request
    inputURL = url ?? request?.url.absoluteString ?? ""
  }

  /// The metrics of the last exchange, with times that include the exchanges before it, as curl's do.
  var metrics: TransferMetrics {
    var metrics = response?.metrics ?? hops.last?.metrics ?? TransferMetrics()
    let hasEnded = metrics.total != nil
    for hop in hops.dropLast() {
      for time in [\TransferMetrics.queue, \.resolve, \.connect, \.tls, \.firstByte, \.total] {
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

  /// The number of connections opened by all exchanges.
  var connectionCount: Int {
    hops.count { $0.metrics?.remoteAddress != nil && $0.metrics?.isConnectionReused == false }
  }

  /// The last request that was sent. A redirect may have changed it.
  var lastRequest: Request? { hops.last?.request ?? request }

  /// The URL of the last exchange.
  var effectiveURL: String { (response?.url ?? lastRequest?.url)?.absoluteString ?? inputURL }

  var exitStatus: Int32 { failure?.status ?? 0 }

  /// The status of the last response, which may be a redirect; 0 without a response and for HTTP/0.9, which has no status.
  var statusCode: Int {
    // As in curl, a proxy's response to CONNECT clears the status of the response before.
    let isCleared = hops.last?.metrics?.proxyStatus != nil
    let last = isCleared ? response : lastResponse
    return last.map { $0.version == .http0_9 ? 0 : $0.status.code } ?? 0
  }

  /// The last response, which may be a redirect.
  var lastResponse: Response? { response ?? hops.last { $0.response != nil }?.response }

  /// The server's address and port, without brackets.
  var remote: (ip: String, port: String) { Self.parts(of: metrics.remoteAddress) }

  /// The target of a redirect that was not followed; nil if the response is not a redirect.
  var redirectURL: String? {
    guard let response, (300..<400).contains(response.status.code), let location = response.headers[.location], !location.isEmpty
    else { return nil }
    return URL(text: location, relativeTo: response.url)?.absoluteURL.absoluteString
  }

  static func parts(of address: String?) -> (ip: String, port: String) {
    guard let address, let colon = address.lastIndex(of: ":") else { return ("", "0") }
    return (address[..<colon].filter { $0 != "[" && $0 != "]" }, String(address[address.index(after: colon)...]))
  }

  /// The local address and port; empty and 0 if unknown.
  var local: (ip: String, port: String) { Self.parts(of: metrics.localAddress) }

  /// The status of the proxy's response to CONNECT; 0 without CONNECT.
  var proxyStatus: Int { hops.compactMap { $0.metrics?.proxyStatus }.last ?? 0 }

  /// The bytes of all request heads, and of small bodies that were sent with them.
  var requestSize: Int64 { hops.reduce(0) { $0 + ($1.metrics?.requestSize ?? 0) } }
}

/// Records each exchange for `-w`, including redirects and failures. The innermost middleware of a transfer. Thread-safe.
final class HopRecorder: Middleware {
  /// One exchange.
  struct Hop: Sendable {
    let request: Request
    /// The response, or its received part; nil without one.
    var response: Response?
    /// The metrics of a failed exchange.
    fileprivate(set) var failedMetrics: TransferMetrics?

    /// The metrics of the exchange. For a streamed response they are complete when its body has ended.
    var metrics: TransferMetrics? { response?.metrics ?? failedMetrics }
  }

  private let state = Mutex<(hops: [Hop], heads: HeadQueue)>(([], HeadQueue()))

  /// The exchanges of this attempt so far.
  var hops: [Hop] { state.withLock { $0.hops } }
  /// The heads of this attempt.
  var heads: HeadQueue { state.withLock { $0.heads } }

  /// Begins an attempt and discards the records of an earlier one.
  func begin() { state.withLock { $0 = ([], HeadQueue()) } }

  func handle(_ request: Request, next: Next) async throws -> Response {
    let place = state.withLock {
      $0.hops.append(Hop(request: request))
      return $0.hops.count - 1
    }
    do {
      let response = try await next(request)
      state.withLock { $0.hops[place].response = response }
      return response
    } catch let error as TransportError {
      state.withLock { ($0.hops[place].response, $0.hops[place].failedMetrics) = (error.partialResponse, error.metrics) }
      throw error
    }
  }
}
