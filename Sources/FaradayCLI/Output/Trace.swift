import Faraday
import Synchronization

/// Writes the steps of transfers in curl's formats, for `-v`, `--trace` and `--trace-ascii`. Redacts credentials unless the
/// options show them: the values of fields and the parts of URLs that ``Secrets`` name. Thread-safe.
final class TraceWriter: Sendable {
  /// The format of events.
  enum Format: Sendable {
    /// `-v`: lines that begin with `*`, `<`, `>`, and the sizes of data.
    case verbose
    /// `--trace-ascii`: everything, as text.
    case ascii
    /// `--trace`: everything, in hexadecimal and as text.
    case hexadecimal
  }

  private struct State {
    var isInLine = false
    var hasTracedData = false
  }

  private let format: Format
  private let output: NamedOutput
  private let showsTime: Bool
  private let hidesData: Bool
  private let redaction: TraceRedaction?
  private let state = Mutex(State())

  /// Creates a writer to a file; `-` is standard output and `%` standard error. `showsTime` is for `--trace-time`,
  /// `showsSecrets` for `--show-secrets`. `hidesData` omits the sizes of data, for a body that is written to the same terminal.
  init(
    _ format: Format, path: String, showsTime: Bool = false, showsSecrets: Bool = false, hidesData: Bool = false
  ) throws {
    self.format = format
    self.showsTime = showsTime
    self.hidesData = hidesData
    redaction = showsSecrets ? nil : TraceRedaction()
    output = try NamedOutput(path)
  }

  /// Creates the writer that the options select; nil without such an option.
  convenience init?(_ settings: GlobalSettings) throws {
    guard let (format, path) = settings.trace else { return nil }
    try self.init(
      format, path: path, showsTime: settings.tracesTime, showsSecrets: settings.showsSecrets,
      hidesData: format == .verbose && Descriptor.output.isTerminal)
  }

  /// The handler of one transfer, for ``FaradayCore/Options/onTrace``. The events of parallel transfers mix.
  func handler() -> TraceHandler {
    let last = Mutex((sent: TraceRedaction.LastLine(), received: TraceRedaction.LastLine()))
    return { [self] event in
      let bytes = last.withLock { last in
        event.kind == .headerOut
          ? redaction?.redacted(event, after: &last.sent) : redaction?.redacted(event, after: &last.received)
      }
      write(event.kind, bytes ?? event.bytes)
    }
  }

  /// Errors are ignored: a trace must not end a transfer.
  private func write(_ kind: TraceEvent.Kind, _ bytes: Data) {
    state.withLock { state in
      let text = format == .verbose ? verbose(kind, bytes, &state) : dump(kind, bytes)
      try? output.descriptor.write(text)
    }
  }

  private func verbose(_ kind: TraceEvent.Kind, _ bytes: Data, _ state: inout State) -> Data {
    var text = Data()
    func mark() { if !state.isInLine { text += Data("\(time)\(kind.labels.mark) ".utf8) } }
    switch kind {
    case .text, .headerIn, .headerOut:
      var rest = bytes
      while !rest.isEmpty {
        mark()
        let line = rest.prefix { $0 != 0x0A }
        text += line
        state.isInLine = line.count == rest.count
        if !state.isInLine { text.append(0x0A) }
        rest = rest.dropFirst(line.count + 1)
      }
      state.hasTracedData = false
    case .dataIn, .dataOut:
      guard !state.hasTracedData, !hidesData else { break }
      mark()
      text += Data("[\(bytes.count) bytes data]\n".utf8)
      (state.isInLine, state.hasTracedData) = (false, true)
    }
    return text
  }

  private func dump(_ kind: TraceEvent.Kind, _ bytes: Data) -> Data {
    guard kind != .text else { return Data("\(time)== Info: ".utf8) + bytes }
    var text = "\(time)\(kind.labels.title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n"
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      text += Figures.padded(rest.startIndex, to: 4, radix: 16) + ": "
      var row = rest.prefix(format == .ascii ? 64 : 16)
      var end = row.endIndex
      if format == .hexadecimal {
        text += row.map { Figures.padded($0, to: 2, radix: 16) + " " }.joined() + String(repeating: "   ", count: 16 - row.count)
      } else if let line = rest.prefix(66).firstRange(of: [0x0D, 0x0A]) {
        // CR and LF end the row and are not shown.
        (row, end) = (rest[..<line.lowerBound], line.upperBound)
      }
      text += String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self) + "\n"
      rest = rest[end...]
    }
    return Data(text.utf8)
  }

  /// The time of day with microseconds, in front of each line.
  private var time: String {
    guard showsTime else { return "" }
    var now = timeval()
    gettimeofday(&now, nil)
    var seconds = now.tv_sec
    var parts = tm()
    localtime_r(&seconds, &parts)
    return DateArgument.formatted(parts, "%H:%M:%S.") + Figures.padded(now.tv_usec, to: 6) + " "
  }
}

extension TraceEvent.Kind {
  /// The mark of a line for `-v`, and the title of an event for `--trace`.
  fileprivate var labels: (mark: String, title: String) {
    switch self {
    case .text: ("*", "== Info")
    case .headerIn: ("<", "<= Recv header")
    case .headerOut: (">", "=> Send header")
    case .dataIn: ("{", "<= Recv data")
    case .dataOut: ("}", "=> Send data")
    }
  }
}

/// Redacts credentials in trace events: the values of header fields that ``Secrets`` name, and secrets in URLs, not in bodies.
struct TraceRedaction: Sendable {
  private let secrets = Secrets()

  /// The last line of the head before. libcurl reports a long head in parts, which end anywhere, and a field can continue on the
  /// next line (RFC 9112, section 5.2).
  struct LastLine {
    /// Whether what continues the line is redacted.
    fileprivate var isSecret = false
    /// Whether the line has no end yet.
    fileprivate var isCut = false

    init() {}
  }

  func redacted(_ event: TraceEvent, after last: inout LastLine) -> Data {
    switch event.kind {
    case .headerIn, .headerOut: lines(event.bytes) { header($0, isCut: $1, after: &last) }
    case .text: lines(event.bytes) { line, _ in text(line) }
    case .dataIn, .dataOut: event.bytes
    }
  }

  /// Redacts each line without its line break. The closure also gets whether the line has no end.
  private func lines(_ bytes: Data, _ redact: (Data, Bool) -> Data) -> Data {
    var shown = Data()
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let isLast = index == lines.count - 1
      if isLast, line.isEmpty { break }
      let end = line.last == 0x0D
      shown += redact(Data(end ? line.dropLast() : line), isLast)
      if end { shown.append(0x0D) }
      if !isLast { shown.append(0x0A) }
    }
    return shown
  }

  private func header(_ line: Data, isCut: Bool, after last: inout LastLine) -> Data {
    let continues = last.isCut || line.first == 0x20 || line.first == 0x09
    defer { last.isCut = isCut }
    if continues { return last.isSecret && !line.isEmpty ? Data(Secrets.mark.utf8) : urls(line) }
    let shown = header(line, isCut: isCut)
    let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).trimming().lowercased()
    // What follows a cut could belong to a secret name or value, and what follows a URL to its query.
    last.isSecret = isCut || shown != line || Self.withURLs.contains(name)
    return shown
  }

  /// Redacts a field, a request line or a status line.
  private func header(_ line: Data, isCut: Bool = false) -> Data {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      case let name = String(decoding: line[..<colon], as: UTF8.self).trimming(),
      !name.contains(" ")
    else { return requestLine(line, isCut: isCut) }
    guard let field = HTTPField.Name(name) else { return line }
    let value = line[(colon + 1)...]
    if secrets.contains(field) || Self.alwaysSecret.contains(name.lowercased()) {
      // The authentication scheme is not secret, and it helps debugging.
      let scheme = value.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
      let isScheme = name.lowercased().hasSuffix("authorization") && scheme.endIndex < value.endIndex
      return Data("\(name): \(isScheme ? String(decoding: scheme, as: UTF8.self) + " " : "")\(Secrets.mark)".utf8)
    }
    let text = String(decoding: value, as: UTF8.self).trimming()
    let shown = secrets.redacting(HTTPField(name: field, value: text))
    return shown == text ? line : Data("\(name): \(shown)".utf8)
  }

  private static let alwaysSecret: Set<String> = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
  private static let withURLs: Set<String> = ["location", "content-location", "referer", "link", "refresh"]

  private func requestLine(_ line: Data, isCut: Bool) -> Data {
    var words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3 && words[2].hasPrefix("HTTP/") || isCut && words.count >= 2 else { return line }
    let shown = secrets.redacting(urlText: words[1])
    guard shown != words[1] else { return line }
    words[1] = shown
    return Data(words.joined(separator: " ").utf8)
  }

  /// Redacts a message of libcurl: HTTP/2 fields in brackets, users, cookies and URLs.
  private func text(_ line: Data) -> Data {
    if let shown = frameField(line) { return shown }
    let text = String(decoding: line, as: UTF8.self)
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    if text.contains("with user ") || text.contains(" cookie ") {
      let marks = ["user", "cookie"]
      var isSecret = false
      return Data(
        words.map { word in
          defer { isSecret = marks.contains(String(word)) }
          return isSecret ? Secrets.mark : String(word)
        }.joined(separator: " ").utf8)
    }
    return urls(line)
  }

  /// Redacts a field of HTTP/2 or HTTP/3: `h2h3 [name: value]` (libcurl 7.88), `h2 [name: value]` (8.1),
  /// `[HTTP/2] [1] [name: value]` (8.4). libcurl cuts messages of more than 2 KB, so the last bracket can be missing. Returns nil
  /// for other messages.
  private func frameField(_ line: Data) -> Data? {
    let starts = ["h2h3 [", "h2 [", "h3 [", "[HTTP/2] [", "[HTTP/3] ["]
    guard starts.contains(where: { line.starts(with: $0.utf8) }), let colon = line.firstRange(of: Data(": ".utf8)),
      let bracket = line[..<colon.lowerBound].lastIndex(of: UInt8(ascii: "[")),
      case let name = line[(bracket + 1)..<colon.lowerBound], !name.contains(where: { $0 == 0x20 || $0 == UInt8(ascii: "]") })
    else { return nil }
    let isWhole = line.last == UInt8(ascii: "]")
    let field = line[(bracket + 1)...].dropLast(isWhole ? 1 : 0)
    let shown: Data
    // `:path` and the other pseudo-header fields are parts of the URL (RFC 9113, section 8.3.1).
    if name.first == UInt8(ascii: ":") {
      let value = String(decoding: field[colon.upperBound...], as: UTF8.self)
      shown = name + Data(": \(secrets.redacting(urlText: value))".utf8)
    } else {
      shown = header(Data(field))
    }
    return line[...bracket] + shown + Data((isWhole ? "]" : "").utf8)
  }

  /// Redacts the URLs in a text.
  private func urls(_ line: Data) -> Data {
    let text = String(decoding: line, as: UTF8.self)
    guard text.contains("://") else { return line }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return Data(words.map { $0.contains("://") ? redactedURL($0) : String($0) }.joined(separator: " ").utf8)
  }

  /// Redacts the URL of a word. The URL may be in quotes.
  private func redactedURL(_ word: Substring) -> String {
    let quotes: Set<Character> = ["'", "\"", "<", ">"]
    let start = word.prefix { quotes.contains($0) }
    let end = word.reversed().prefix { quotes.contains($0) }.reversed()
    let url = word.dropFirst(start.count).dropLast(end.count)
    return start + secrets.redacting(urlText: url) + String(end)
  }
}
