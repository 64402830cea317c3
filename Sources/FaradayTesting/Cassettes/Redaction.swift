internal import FaradayCoding
internal import FaradayCore

/// The redaction of what is recorded: the rules of the connection and of the cassette. What a replay needs is kept: the names
/// and attributes of cookies, and the schemes of credentials.
struct Redaction: Sendable {
  private let secrets: Secrets

  init(_ request: Request, and own: Secrets) {
    var secrets = request.secrets
    secrets.formUnion(own)
    self.secrets = secrets
  }

  func url(_ url: URL) -> String { secrets.redacting(url) }

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
      return scheme.count < field.value.count ? "\(scheme) \(Secrets.mark)" : Secrets.mark
    default: return secrets.redacting(field)
    }
  }

  private static func cookie(_ text: Substring) -> String {
    guard let equals = text.firstIndex(of: "=") else { return Secrets.mark }
    return text[...equals] + Secrets.mark
  }

  /// The text of a body.
  func body(_ text: String, of type: MediaType?) -> String { secrets.showing(body: text, of: type) }
}
