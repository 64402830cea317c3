internal import FaradayCore

/// A request or a response in full, as it is logged: a line, then header fields and body, each line with `>` or `<` in front.
struct ShownHead {
  let text: String

  /// A request, before it is sent.
  init(_ line: String, _ request: Request, _ secrets: Secrets, limit: Int) {
    let body = ShownBody(type: request.headers.contentType, secrets: secrets)
    let content =
      if let data = request.body.data {
        body.text(of: data.prefix(limit), count: data.count)
      } else if let value = request.body.unencodedValue {
        "(a value of type \(type(of: value)), not encoded yet)"
      } else {
        "(a stream of \(request.body.length.map { "\($0) bytes" } ?? "unknown length"))"
      }
    text = ([line] + Self.lines(">", request.headers, secrets) + Self.content(">", content)).joined(separator: "\n")
  }

  /// A response whose body has ended.
  init(_ line: String, _ response: Response, start: Data, count: Int, _ secrets: Secrets, limit: Int) {
    let content = ShownBody(type: response.headers.contentType, secrets: secrets).text(of: start, count: count)
    let lines = [line] + Self.lines("<", response.headers, secrets) + Self.content("<", content)
    text = (lines + Self.lines("<", response.trailers, secrets)).joined(separator: "\n")
  }

  private static func lines(_ mark: String, _ fields: HTTPFields, _ secrets: Secrets) -> [String] {
    fields.map { "\(mark) \($0.name): \(secrets.redacting($0).escapingControls())" }
  }

  private static func content(_ mark: String, _ text: String) -> [String] {
    text.isEmpty ? [] : [mark, "\(mark) \(text.escapingControls())"]
  }
}

/// What is shown of a body of which at least the beginning is there.
struct ShownBody {
  let type: MediaType?
  let secrets: Secrets

  func text(of start: Data, count: Int) -> String {
    guard count > 0 else { return "" }
    guard isText, let text = Self.decode(start, isWhole: start.count == count) else {
      return "(\(count) bytes of \(type.map { "\($0.type)/\($0.subtype)" } ?? "no known type"))"
    }
    let shown = secrets.showing(body: text, of: type)
    return start.count == count ? shown : "\(shown)… (\(start.count) of \(count) bytes)"
  }

  /// Whether the type is one of text, or says nothing. A form in parts is none: its fields are not told apart here.
  private var isText: Bool {
    guard let type else { return true }
    return type.type == "text" || type.isJSON || type == .form || type.subtype.hasSuffix("xml")
      || ["javascript", "x-ndjson", "yaml", "graphql", "problem+json"].contains(type.subtype)
  }

  /// Nil if it is no text. What was cut off may have been cut within a character.
  static func decode(_ bytes: Data, isWhole: Bool) -> String? {
    for cut in 0...(isWhole ? 0 : min(3, bytes.count)) {
      guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else { continue }
      return text.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) } ? nil : text
    }
    return nil
  }
}
