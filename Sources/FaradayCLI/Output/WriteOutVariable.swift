import Faraday

/// A variable of `-w`.
struct WriteOutVariable: Sendable {
  /// A value, which is text in a format and may be a number in JSON.
  enum Value: Equatable {
    /// Nil is empty in a format, and null in JSON.
    case text(String?)
    case number(Int64)
    /// A status of three digits.
    case status(Int)
    case time(Duration?)

    var text: String {
      switch self {
      case .text(let text): text ?? ""
      case .number(let number): "\(number)"
      case .status(let code): Figures.padded(code, to: 3)
      case .time(let time): Figures.fixed((time ?? .zero).inSeconds, places: 6)
      }
    }
  }

  let name: String
  let value: @Sendable (Report) -> Value

  init(_ name: String, _ value: @escaping @Sendable (Report) -> Value) {
    (self.name, self.value) = (name, value)
  }

  static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// All variables that stand for a value, sorted by name as in curl's JSON.
  static let all = [
    Self("certs") { .text(WriteOutJSON.certificates($0.metrics.peerCertificates)) },
    Self("content_type") { .text($0.response?.headers[.contentType]) },
    Self("errormsg") { .text($0.failure?.message) },
    Self("exitcode") { .number(Int64($0.exitStatus)) },
    Self("filename_effective") { .text($0.filename) },
    // Of FTP only.
    Self("ftp_entry_path") { _ in .text(nil) },
    Self("http_code") { .status($0.statusCode) },
    Self("http_connect") { .status($0.proxyStatus) },
    Self("http_version") { .text($0.response.map { version($0.version) } ?? "0") },
    Self("local_ip") { .text($0.local.ip) },
    Self("local_port") { .number(Int64($0.local.port) ?? 0) },
    Self("method") { .text($0.lastRequest?.method.rawValue ?? "GET") },
    Self("num_certs") { .number(Int64($0.metrics.peerCertificates.count)) },
    Self("num_connects") { .number(Int64($0.connectionCount)) },
    Self("num_headers") { .number(Int64($0.headFieldCount)) },
    Self("num_redirects") { .number(Int64(max(0, $0.hops.count - 1))) },
    Self("num_retries") { .number(Int64($0.retryCount)) },
    // A certificate that is not accepted is error 60; what is wrong with one that need not be is not known here.
    Self("proxy_ssl_verify_result") { _ in .number(0) },
    Self("redirect_url") { .text($0.redirectURL) },
    Self("referer") { .text($0.lastRequest?.headers[.referer]) },
    Self("remote_ip") { .text($0.remote.ip) },
    Self("remote_port") { .number(Int64($0.remote.port) ?? 0) },
    Self("response_code") { .status($0.statusCode) },
    Self("scheme") { .text(($0.response?.url ?? $0.lastRequest?.url)?.scheme?.uppercased()) },
    Self("size_download") { .number($0.metrics.bytesReceived) },
    Self("size_header") { .number(Int64($0.headSize)) },
    Self("size_request") { .number($0.requestSize) },
    Self("size_upload") { .number($0.metrics.bytesSent) },
    Self("speed_download") { .number(speed($0.metrics.bytesReceived, $0.metrics)) },
    Self("speed_upload") { .number(speed($0.metrics.bytesSent, $0.metrics)) },
    Self("ssl_verify_result") { _ in .number(0) },
    Self("time_appconnect") { .time($0.metrics.tls) },
    Self("time_connect") { .time($0.metrics.connect) },
    Self("time_namelookup") { .time($0.metrics.dns) },
    Self("time_pretransfer") { .time($0.metrics.tls ?? $0.metrics.connect ?? $0.metrics.queue) },
    Self("time_redirect") { .time($0.redirectTime) },
    Self("time_starttransfer") { .time($0.metrics.firstByte) },
    Self("time_total") { .time($0.metrics.total) },
    Self("url") { .text($0.inputURL) },
    Self("url_effective") { .text($0.effectiveURL) },
    Self("urlnum") { .number(Int64($0.urlNumber)) },
  ]

  /// curl's 0 is what it does not know, too.
  private static func version(_ version: HTTPVersion) -> String {
    guard version.major > 0 else { return "0" }
    return version.minor == 0 ? "\(version.major)" : "\(version.major).\(version.minor)"
  }

  private static func speed(_ bytes: Int64, _ metrics: TransferMetrics) -> Int64 {
    guard let seconds = metrics.total?.inSeconds, seconds > 0 else { return 0 }
    return Int64(exactly: (Double(bytes) / seconds).rounded()) ?? 0
  }
}
