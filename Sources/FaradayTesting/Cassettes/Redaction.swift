internal import FaradayCoding
internal import FaradayCore

/// The redaction of what is recorded: the rules of the connection and of the cassette. What a replay needs is kept: the names
/// and attributes of cookies, and the schemes of credentials.
struct Redaction: Sendable {
  private let secrets: Secrets

  init(_ secrets: Secrets, and own: Secrets) {
    var secrets = secrets
    secrets.formUnion(own)
    self.secrets = secrets
  }

  func url(_ url: URL) -> String { secrets.redacting(url) }

  func url(_ text: String) -> String { secrets.redacting(urlText: text) }

  /// The value of a header field.
  func value(of field: HTTPField) -> String {
    switch field.name {
    case .cookie:
      return field.value.split(separator: ";").map { Self.cookie($0) }.joined(separator: ";")
    case .setCookie:
      let parts = field.value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
      return Self.cookie(parts[0]) + (parts.count > 1 ? ";" + parts[1] : "")
    case .authorization, .proxyAuthorization:
      guard secrets.contains(field.name) else { return field.value }
      let scheme = field.value.prefix { $0 != " " }
      return Self.schemes.contains(scheme.lowercased()) ? "\(scheme) \(Secrets.mark)" : Secrets.mark
    default: return secrets.redacting(field)
    }
  }

  /// The schemes that are kept. Another first word may be a part of the credentials.
  private static let schemes: Set = [
    "basic", "bearer", "digest", "dpop", "negotiate", "ntlm", "token", "apikey", "aws4-hmac-sha256",
  ]

  private static func cookie(_ text: Substring) -> String {
    guard let equals = text.firstIndex(of: "=") else { return Secrets.mark }
    return text[...equals] + Secrets.mark
  }

  /// Whether a body can contain secrets that the rules find: text and multipart forms. A body without a type can.
  static func searches(_ type: MediaType?) -> Bool {
    type.map { $0.isText || $0 == .multipartForm } ?? true
  }

  /// A body as it is recorded; nil if it may have secrets that cannot be found, because it is compressed. Bytes that are no text
  /// and no multipart form are unchanged.
  func body(_ body: Data, of headers: HTTPFields) -> Data? {
    let type = headers.contentType
    guard Self.searches(type), !body.isEmpty else { return body }
    guard !headers.contains(.contentEncoding) else { return nil }
    if let type, type == .multipartForm, let boundary = type.parameters.first(where: { $0.name == "boundary" })?.value {
      return multipart(body, boundary)
    }
    if let text = String(validating: body, as: UTF8.self) {
      let shown = self.text(text, of: type)
      return shown == text ? body : Data(shown.utf8)
    }
    guard type != nil else { return body }
    // Any bytes are a text in ISO 8859-1, and the names are ASCII.
    let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    let shown = self.text(text, of: type)
    return shown == text ? body : Data(shown.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  private func text(_ text: String, of type: MediaType?) -> String {
    if type == .form { return secrets.redacting(query: text) }
    // JSON stands within other text too: events, lines, scripts.
    let shown = JSONRedaction.redacted(text, secrets, keepingTypes: true)
    guard type == nil || type?.type == "text" && type?.subtype == "plain", shown.utf8.contains(UInt8(ascii: "=")) else {
      return shown
    }
    // Bytes and not characters: a line feed and a carriage return are one character.
    let lines = shown.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    return lines.map { Self.isForm($0) ? secrets.redacting(query: $0) : String($0) }.joined(separator: "\n")
  }

  /// Whether a line begins like a form: `name=`.
  private static func isForm(_ line: Substring) -> Bool {
    guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex else { return false }
    return line.utf8[..<equals].allSatisfy(\.isTokenByte)
  }

  /// A multipart form (RFC 7578) with ``FaradayCore/Secrets/mark`` as the content of secret fields.
  private func multipart(_ body: Data, _ boundary: String) -> Data {
    let delimiter = Data("--\(boundary)".utf8)
    var (shown, rest) = (Data(), body[...])
    while let end = rest.firstRange(of: delimiter) {
      shown += part(rest[..<end.lowerBound]) + delimiter
      rest = rest[end.upperBound...]
    }
    return shown + part(rest)
  }

  /// What stands between two delimiters: fields, a blank line, and the content.
  private func part(_ part: Data) -> Data {
    guard let blank = part.firstRange(of: Data("\r\n\r\n".utf8)) else { return part }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let names = head.matches(of: /name="((?:[^"\\]|\\.)*)"/.matchingSemantics(.unicodeScalar)).map(\.output.1)
    guard names.contains(where: { secrets.contains($0) }) else { return part }
    return part[..<blank.upperBound] + Data("\(Secrets.mark)\r\n".utf8)
  }
}
