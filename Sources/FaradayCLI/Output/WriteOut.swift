import Faraday

/// The format of `-w`: text with `%{variables}` and backslash escapes, as in curl.
struct WriteOut {
  /// A part of the format.
  enum Part: Equatable {
    case text(String)
    case variable(String)
  }

  let parts: [Part]

  init(_ format: String) {
    var parts: [Part] = []
    var text = ""
    var rest = format[...]
    while let character = rest.popFirst() {
      guard let next = rest.first, character == "%" || character == "\\" else {
        text.append(character)
        continue
      }
      switch (character, next) {
      case ("%", "{"):
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "}") else {
          text += "%{"
          continue
        }
        parts += [.text(text), .variable(String(rest[..<end]))]
        text = ""
        rest = rest[rest.index(after: end)...]
      case ("%", "%"):
        text += "%"
        rest.removeFirst()
      case ("\\", "n"), ("\\", "r"), ("\\", "t"):
        text += ["n": "\n", "r": "\r", "t": "\t"][next] ?? ""
        rest.removeFirst()
      default:
        text.append(character)
        text.append(next)
        rest.removeFirst()
      }
    }
    self.parts = (parts + [.text(text)]).filter { $0 != .text("") }
  }

  /// The formatted text, and the names of unknown variables, which are replaced by nothing.
  func text(about report: Report) -> (text: String, unknown: [String]) {
    var text = ""
    var unknown: [String] = []
    for part in parts {
      switch part {
      case .text(let literal): text += literal
      case .variable(let name):
        if let variable = Self.variables[name.lowercased()] {
          text += variable(report)
        } else {
          unknown.append(name)
        }
      }
    }
    return (text, unknown)
  }

  static let variables: [String: @Sendable (Report) -> String] = [
    "http_code": status,
    "response_code": status,
    "size_download": { "\($0.metrics.bytesReceived)" },
    "size_upload": { "\($0.metrics.bytesSent)" },
    "time_namelookup": { time($0.metrics.dns) },
    "time_connect": { time($0.metrics.connect) },
    "time_appconnect": { time($0.metrics.tls) },
    "time_starttransfer": { time($0.metrics.firstByte) },
    "time_redirect": { time($0.redirectTime) },
    "time_total": { time($0.metrics.total) },
    "speed_download": { speed($0.metrics.bytesReceived, $0.metrics) },
    "speed_upload": { speed($0.metrics.bytesSent, $0.metrics) },
    "remote_ip": { $0.remote.ip },
    "remote_port": { $0.remote.port },
    "http_version": { $0.response.map { version($0.version) } ?? "0" },
    "url_effective": { $0.response?.url.absoluteString ?? $0.requestURL },
    "num_redirects": { "\($0.response?.redirects.count ?? 0)" },
    "method": { $0.method },
    "content_type": { $0.response?.headers[.contentType] ?? "" },
    "num_connects": { "\($0.connectionCount)" },
    "exitcode": { "\($0.exitStatus)" },
    "errormsg": { $0.failure?.message ?? "" },
  ]

  @Sendable private static func status(_ report: Report) -> String {
    let code = report.response?.status.code ?? 0
    return String(repeating: "0", count: max(0, 3 - "\(code)".count)) + "\(code)"
  }

  /// Curl's 0 is what it does not know, too.
  private static func version(_ version: HTTPVersion) -> String {
    guard version != .unknown else { return "0" }
    return version.major < 2 ? "\(version.major).\(version.minor)" : "\(version.major)"
  }

  private static func time(_ duration: Duration?) -> String {
    Figures.fixed((duration ?? .zero).inSeconds, places: 6)
  }

  private static func speed(_ bytes: Int64, _ metrics: TransferMetrics) -> String {
    guard let seconds = metrics.total?.inSeconds, seconds > 0 else { return "0" }
    return Figures.fixed(Double(bytes) / seconds, places: 0)
  }
}
