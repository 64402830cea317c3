import Faraday
import FaradayCurl

/// The format of `-w`: text with `%{variables}`, `%header{names}` and backslash escapes, as in curl 7.88.
struct WriteOut {
  /// A part of the format.
  enum Part: Equatable {
    case text(String)
    case variable(String)
    case header(String)
  }

  /// A piece of output, and its stream.
  struct Piece: Equatable {
    enum Stream: Sendable { case output, error }

    let stream: Stream
    var text: String
  }

  let parts: [Part]

  private static let escapes: [Substring: Substring] = ["n": "\n", "r": "\r", "t": "\t"]

  init(_ format: String) {
    var parts: [Part] = []
    var text = ""
    var rest = format[...]
    let pattern = #/%\{(?<variable>[^}]*)\}|%header\{(?<header>[^}]*)\}|\\(?<letter>[nrt])|%(?<percent>%)|[%\\]./#
    // Behind the last brace no variable can end. Each unfinished one would be searched to the end of the text.
    let end = format.lastIndex(of: "}") ?? format.startIndex
    while rest.startIndex <= end, let match = rest.firstMatch(of: pattern) {
      text += rest[..<match.range.lowerBound]
      rest = rest[match.range.upperBound...]
      if let name = match.variable ?? match.header {
        parts += [.text(text), match.header == nil ? .variable(String(name)) : .header(String(name))]
        text = ""
      } else if let letter = match.letter {
        text += Self.escapes[letter] ?? letter
      } else {
        text += match.percent ?? match.output.0
      }
    }
    text += rest.replacing(#/\\(?<letter>[nrt])|%%|[%\\]./#) { match -> Substring in
      match.letter.flatMap { Self.escapes[$0] } ?? (match.output.0 == "%%" ? "%" : match.output.0)
    }
    self.parts = (parts + [.text(text)]).filter { $0 != .text("") }
  }

  /// The formatted text. An unknown variable expands to nothing and writes a line to standard error.
  func pieces(about report: Report) -> [Piece] {
    var pieces: [Piece] = []
    var stream = Piece.Stream.output
    func add(_ text: String, to stream: Piece.Stream) {
      if pieces.last?.stream == stream {
        pieces[pieces.count - 1].text += text
      } else if !text.isEmpty {
        pieces.append(Piece(stream: stream, text: text))
      }
    }
    for part in parts {
      switch part {
      case .text(let literal): add(literal, to: stream)
      case .header(let name): add(report.response?.headers[named: name] ?? "", to: stream)
      case .variable(let name):
        switch name.lowercased() {
        case "onerror": if report.exitStatus == 0 { return pieces }
        case "stdout": stream = .output
        case "stderr": stream = .error
        case "json": add(Self.object(about: report), to: stream)
        case "header_json": add(Self.headers(of: report.response), to: stream)
        case let known:
          if let variable = WriteOutVariable.named[known] {
            add(variable.value(report).text, to: stream)
          } else {
            add("faraday: unknown --write-out variable: '\(name)'\n", to: .error)
          }
        }
      }
    }
    return pieces
  }

  /// Writes the formatted text to standard output and standard error.
  func write(about report: Report) throws {
    for piece in pieces(about: report) {
      do {
        try (piece.stream == .output ? Descriptor.output : .error).write(piece.text)
      } catch {
        throw CommandFailure(ExitStatus.writeError, "cannot write the output: \(error)")
      }
    }
  }
}

// MARK: JSON

extension WriteOut {
  /// All variables as an object, in curl's order.
  private static func object(about report: Report) -> String {
    // curl 7.88 lacks the retries.
    let members = WriteOutVariable.all.filter { $0.name != "num_retries" }.map { variable in
      "\"\(variable.name)\":\(literal(variable.value(report)))"
    }
    return "{" + (members + ["\"curl_version\":\(quoted(CurlAdapter.libraryVersion))"]).joined(separator: ",") + "}"
  }

  /// The fields of a response's head as an object, with lower-case names and lists of values.
  private static func headers(of response: Response?) -> String {
    var names: [String] = []
    var values: [String: [String]] = [:]
    for field in response?.headers ?? [:] {
      let name = field.name.canonicalName
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(quoted(field.value))
    }
    return "{" + names.map { "\(quoted($0)):[\((values[$0] ?? []).joined(separator: ","))]" }.joined(separator: ",\n") + "\n}"
  }

  private static func literal(_ value: WriteOutVariable.Value) -> String {
    switch value {
    case .text(nil): "null"
    case .text(let text?): quoted(text)
    case .status(let code): "\(code)"
    case .number, .time: value.text
    }
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}

extension HTTPFields {
  /// The value of the first field with this case-insensitive name; nil without such a field or for an invalid name.
  subscript(named name: String) -> String? { HTTPField.Name(name).flatMap { self[values: $0].first } }
}

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

  /// All variables with a value, sorted by name as in curl's JSON.
  static let all = [
    Self("content_type") { .text($0.lastResponse?.headers[.contentType]) },
    Self("errormsg") { .text($0.failure?.message) },
    Self("exitcode") { .number(Int64($0.exitStatus)) },
    Self("filename_effective") { .text($0.filename) },
    Self("http_code") { .status($0.statusCode) },
    Self("http_connect") { .status($0.proxyStatus) },
    Self("http_version") { .text($0.lastResponse.map { version($0.version) } ?? "0") },
    Self("local_ip") { .text($0.local.ip) },
    Self("local_port") { .number(Int64($0.local.port) ?? 0) },
    Self("method") { .text($0.lastRequest?.method.rawValue ?? "GET") },
    Self("num_connects") { .number(Int64($0.connectionCount)) },
    Self("num_headers") { .number(Int64($0.headFieldCount)) },
    Self("num_redirects") { .number(Int64(max(0, $0.hops.count - 1))) },
    Self("num_retries") { .number(Int64($0.retryCount)) },
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
    // A rejected certificate is error 60. With -k the verification result is not available here.
    Self("ssl_verify_result") { _ in .number(0) },
    Self("time_appconnect") { .time($0.metrics.tls) },
    Self("time_connect") { .time($0.metrics.connect) },
    Self("time_namelookup") { .time($0.metrics.resolve) },
    Self("time_pretransfer") { .time($0.metrics.tls ?? $0.metrics.connect ?? $0.metrics.queue) },
    Self("time_redirect") { .time($0.redirectTime) },
    Self("time_starttransfer") { .time($0.metrics.firstByte) },
    Self("time_total") { .time($0.metrics.total) },
    Self("url") { .text($0.inputURL) },
    Self("url_effective") { .text($0.effectiveURL) },
    Self("urlnum") { .number(Int64($0.urlNumber)) },
  ]

  /// Formats a version as curl does, with 0 for an unknown version.
  private static func version(_ version: HTTPVersion) -> String {
    guard version.major > 0 else { return "0" }
    return version.minor == 0 ? "\(version.major)" : "\(version.major).\(version.minor)"
  }

  private static func speed(_ bytes: Int64, _ metrics: TransferMetrics) -> Int64 {
    guard let seconds = metrics.total?.inSeconds, seconds > 0 else { return 0 }
    return Int64(exactly: (Double(bytes) / seconds).rounded()) ?? 0
  }
}
