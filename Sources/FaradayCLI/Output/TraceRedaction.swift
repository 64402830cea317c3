import Faraday

/// Hides credentials in trace events: values of header fields that ``Secrets`` name, and secrets in URLs. Bodies are not searched.
struct TraceRedaction: Sendable {
  private let secrets = Secrets()

  func redacted(_ event: TraceEvent) -> Data {
    switch event.kind {
    case .headerIn, .headerOut: lines(event.bytes, header)
    case .text: lines(event.bytes, text)
    case .dataIn, .dataOut: event.bytes
    }
  }

  /// Each line, without its line break.
  private func lines(_ bytes: Data, _ redact: (Data) -> Data) -> Data {
    var shown = Data()
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { shown.append(0x0A) }
      let end = line.last == 0x0D
      shown += redact(Data(end ? line.dropLast() : line))
      if end { shown.append(0x0D) }
    }
    return shown
  }

  /// A field, a request line or a status line.
  private func header(_ line: Data) -> Data {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !line[..<colon].contains(0x20) else { return requestLine(line) }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    guard let field = HTTPField.Name(name) else { return line }
    let value = line[(colon + 1)...]
    if secrets.contains(field) || Self.alwaysSecret.contains(name.lowercased()) {
      // The scheme is no secret, and what one wants to know.
      let scheme = value.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
      let isScheme = name.lowercased().hasSuffix("authorization") && scheme.endIndex < value.endIndex
      return Data("\(name): \(isScheme ? String(decoding: scheme, as: UTF8.self) + " " : "")\(Secrets.mark)".utf8)
    }
    guard let text = String(validating: value, as: UTF8.self) else { return line }
    let shown = secrets.redacting(HTTPField(name: field, value: text.trimming()))
    return shown == text.trimming() ? line : Data("\(name): \(shown)".utf8)
  }

  private static let alwaysSecret: Set<String> = ["authorization", "proxy-authorization", "cookie", "set-cookie"]

  private func requestLine(_ line: Data) -> Data {
    var words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, words[2].hasPrefix("HTTP/") else { return line }
    let shown = secrets.redacting(urlText: words[1])
    guard shown != words[1] else { return line }
    words[1] = shown
    return Data(words.joined(separator: " ").utf8)
  }

  /// libcurl's own words: fields of HTTP/2, which it shows in brackets, users, and URLs.
  private func text(_ line: Data) -> Data {
    guard let text = String(validating: line, as: UTF8.self) else { return line }
    for start in ["h2h3 [", "[HTTP/2] ["] where text.contains(start) && text.hasSuffix("]") {
      guard let open = text.lastIndex(of: "["), let colon = text[open...].firstIndex(of: ":") else { continue }
      let name = text[text.index(after: open)..<colon]
      let field = header(Data(text[text.index(after: open)...].dropLast().utf8))
      return name.isEmpty ? line : Data((text[...open] + String(decoding: field, as: UTF8.self) + "]").utf8)
    }
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
    guard text.contains("://") else { return line }
    return Data(
      words.map { $0.contains("://") ? redactedURL($0) : String($0) }.joined(separator: " ").utf8)
  }

  /// A word with a URL, which may stand in quotes.
  private func redactedURL(_ word: Substring) -> String {
    let quotes: Set<Character> = ["'", "\"", "<", ">"]
    let start = word.prefix { quotes.contains($0) }
    let end = word.reversed().prefix { quotes.contains($0) }.reversed()
    let url = word.dropFirst(start.count).dropLast(end.count)
    return start + secrets.redacting(urlText: url) + String(end)
  }
}
