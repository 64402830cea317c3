internal import FaradayCoding
internal import FaradayCore

extension ExchangeRecord.Message {
  /// A request, before it is sent.
  init(_ request: Request, _ secrets: Secrets, limit: Int) {
    let body = ShownBody(type: request.headers.contentType, secrets: secrets)
    let content =
      if let data = request.body.data {
        body.text(of: data.prefix(limit), count: data.count)
      } else if let value = request.body.unencodedValue {
        "(a value of type \(type(of: value)), not encoded yet)"
      } else {
        "(a stream of \(request.body.length.map { "\($0) bytes" } ?? "unknown length"))"
      }
    self.init(headers: request.headers.shown(secrets), body: content.escapingControls(), trailers: [:])
  }

  /// A response whose body has ended.
  init(_ response: Response, start: Data, count: Int, _ secrets: Secrets, limit: Int) {
    let content = ShownBody(type: response.headers.contentType, secrets: secrets).text(of: start, count: count)
    self.init(
      headers: response.headers.shown(secrets), body: content.escapingControls(), trailers: response.trailers.shown(secrets))
  }

  /// Returns the lines for a log: fields and body, each on a line that begins with the mark.
  func lines(_ mark: String) -> [String] {
    Self.lines(mark, headers) + (body.isEmpty ? [] : [mark, "\(mark) \(body)"]) + Self.lines(mark, trailers)
  }

  private static func lines(_ mark: String, _ fields: HTTPFields) -> [String] {
    fields.map { "\(mark) \($0.name): \($0.value)" }
  }
}

extension HTTPFields {
  fileprivate func shown(_ secrets: Secrets) -> HTTPFields {
    HTTPFields(map { HTTPField(name: $0.name, value: secrets.redacting($0).escapingControls()) })
  }
}

/// The displayed form of a body of which at least the beginning is available.
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

  /// Whether the type is a text type, or unknown. A multipart form does not count, because its fields are not parsed here.
  private var isText: Bool {
    type?.isText ?? true
  }

  /// Decodes text; nil if the bytes are not text. A truncated body may end within a character.
  static func decode(_ bytes: Data, isWhole: Bool) -> String? {
    for cut in 0...(isWhole ? 0 : min(3, bytes.count)) {
      guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else { continue }
      return text.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r".unicodeScalars.contains($0) } ? nil : text
    }
    return nil
  }
}
