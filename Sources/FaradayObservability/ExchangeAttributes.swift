#if Observability
internal import FaradayCore
internal import Tracing

/// The attributes of a request by OpenTelemetry's conventions, for its span and the dimensions of its metrics.
struct ExchangeAttributes: Sendable {
  let spanName: String
  private let method: String
  private let originalMethod: String?
  private let url: String
  private let address: String
  private let port: Int?
  private let template: String?
  private let resends: Int

  init(_ request: Request) {
    let name = request.method.rawValue
    let isKnown = Self.knownMethods.contains(name)
    method = isKnown ? name : "_OTHER"
    originalMethod = isKnown ? nil : name
    // After a redirect the path may differ.
    template = request.options.pathTemplate.flatMap {
      PathTemplate($0).matches(request.url) ? request.secrets.redacting(urlText: $0) : nil
    }
    spanName = [isKnown ? name : "HTTP", template].compactMap { $0 }.joined(separator: " ")
    url = request.secrets.redacting(request.url)
    address = request.url.host(percentEncoded: false)?.lowercased() ?? ""
    port = request.url.port ?? Self.ports[request.url.scheme?.lowercased() ?? ""]
    resends = request.options.resends?.next() ?? 0
  }

  // RFC 9110, section 9.1, and PATCH (RFC 5789).
  private static let knownMethods: Set = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
  private static let ports = ["http": 80, "https": 443]

  /// The attributes of the span before there is a response.
  var ofRequest: SpanAttributes {
    var attributes: SpanAttributes = [:]
    attributes["http.request.method"] = method
    attributes["http.request.method_original"] = originalMethod
    attributes["url.full"] = url
    attributes["url.template"] = template
    attributes["server.address"] = address
    attributes["server.port"] = port
    if resends > 0 { attributes["http.request.resend_count"] = resends }
    return attributes
  }

  /// The dimensions of the metrics. Each dimension has few values, so there is no URL. All dimensions are always present, empty
  /// if there is no value: backends such as Prometheus accept one set of names per metric, and may end the process for another
  /// set.
  func dimensions(status: Int?, version: String?, error: String?) -> [(String, String)] {
    [
      ("http.request.method", method), ("server.address", address), ("server.port", port.map { "\($0)" } ?? ""),
      ("http.response.status_code", status.map { "\($0)" } ?? ""), ("network.protocol.version", version ?? ""),
      ("error.type", error ?? ""), ("url.template", template ?? ""),
    ]
  }
}
#endif
