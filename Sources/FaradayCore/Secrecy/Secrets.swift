/// The redaction rules of a connection: names of header fields, query items, form fields and JSON members whose values are
/// secret. Descriptions, errors, logs, curl commands and cross-origin redirects apply these rules.
///
///     connection.secrets.insert("X-Tenant")                // that name
///     connection.secrets.insert(ending: "handle")          // and whatever ends like this
///     connection.secrets.remove("next_page_token")         // shown, though it ends in "token"
///     connection.secrets.insert(path: "/bot{token}/")      // a part of a path
///
/// Names are compared case-insensitively, without punctuation and trailing digits: `X-Api-Key`, `x_api_key`, `apiKey` and
/// `ApiKey2` match the same ending. The defaults are the usual names of credentials: what ends in `key`, `token`, `secret`,
/// `password`, `session` and about forty other words. A suffix such as `confirmation` or `v2` keeps a name secret:
/// `password_confirmation`, `token_v2`.
///
/// Secret values are replaced with ``Secrets/mark`` in logs, errors, descriptions and curl commands. A redirect or link to
/// another origin removes secret header fields; `Authorization`, `Proxy-Authorization` and `Cookie` are removed even if these
/// rules do not make them secret.
public struct Secrets: Sendable, Hashable {
  /// Whether a whole name is secret. Takes precedence over endings.
  private var names: [String: Bool]
  /// Whether names with an ending are secret; the longest matching ending decides.
  private var endings: [String: Bool]
  private var paths: Set<SecretPath> = []

  /// The default rules: the usual names of credentials.
  public init() {
    names = Self.usual.names
    endings = Self.usual.endings
  }

  private init(names: [String: Bool], endings: [String: Bool]) {
    self.names = names
    self.endings = endings
  }

  /// No rules.
  public static let none = Secrets(names: [:], endings: [:])

  private static let usual = Secrets(
    names: table(usualNames, true), endings: table(usualEndings, true).merging(table(harmlessEndings, false)) { $1 })

  private static func table(_ names: some Sequence<String>, _ isSecret: Bool) -> [String: Bool] {
    Dictionary(names.map { (folded($0), isSecret) }) { $1 }
  }

  /// The text that replaces a secret.
  public static let mark = "[secret]"

  /// Makes whole names secret: `id` does not make `user_id` secret.
  public mutating func insert(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = true }
  }

  /// Makes a header field secret.
  public mutating func insert(_ name: HTTPField.Name) { insert(name.rawName) }

  /// Makes whole names not secret, whatever their endings are.
  public mutating func remove(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = false }
  }

  /// Makes all names with an ending secret.
  public mutating func insert(ending: String) { endings[Self.folded(ending)] = true }

  /// Makes all names with an ending not secret, except names that match a longer secret ending.
  public mutating func remove(ending: String) { endings[Self.folded(ending)] = false }

  /// Makes parts of URL paths secret: the parts at `{…}`, wherever a path contains the template's segments, as in
  /// `/bot{token}/` and `/services/{team}/{hook}/{key}`. The comparison ignores case and percent-encoding.
  public mutating func insert(path template: String) { paths.insert(SecretPath(template)) }

  /// Removes a path template that was inserted.
  public mutating func remove(path template: String) { paths.remove(SecretPath(template)) }

  /// Whether values with this name are secret. A nested form field is secret if one of its parts is: `user[password]` and
  /// `token[0]` are secret.
  public func contains(_ name: some StringProtocol) -> Bool {
    let whole = Self.folded(name)
    if let known = names[whole] { return known }
    if isSecret(whole) { return true }
    guard name.utf8.contains(UInt8(ascii: "[")) else { return false }
    return name.utf8.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }.contains {
      isSecret(Self.folded(String(decoding: $0, as: UTF8.self)))
    }
  }

  /// Whether the header field's value is secret.
  public func contains(_ name: HTTPField.Name) -> Bool { contains(name.rawName) }

  /// Adds the rules of other secrets: a name that is secret in either is secret in the union.
  package mutating func formUnion(_ other: Secrets) {
    guard self != other else { return }
    for (name, isSecret) in names where !isSecret && other.isSecret(name) { names[name] = true }
    for (ending, isSecret) in endings where !isSecret && other.verdict(onEnding: ending) == true { endings[ending] = true }
    names.merge(other.names.filter(\.value)) { $1 }
    endings.merge(other.endings.filter(\.value)) { $1 }
    paths.formUnion(other.paths)
  }

  private func isSecret(_ folded: String) -> Bool {
    if let verdict = verdict(on: folded) { return verdict }
    // One suffix only, because a server may send names of any length.
    guard let ending = Self.repeatingEndings.first(where: { folded.utf8.reversed().starts(with: $0.utf8.reversed()) }) else {
      return false
    }
    return verdict(on: Self.folded(folded.dropLast(ending.count))) ?? false
  }

  /// The rule for a name; nil if there is none.
  private func verdict(on folded: String) -> Bool? { names[folded] ?? verdict(onEnding: folded) }

  private func verdict(onEnding folded: String) -> Bool? {
    let bytes = folded.utf8
    var longest = 0
    var verdict: Bool?
    for (ending, isSecret) in endings where ending.utf8.count > longest && ending.utf8.count <= bytes.count {
      // A cheap test first: most endings differ in the last byte.
      guard bytes.last == ending.utf8.last, bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { continue }
      longest = ending.utf8.count
      verdict = isSecret
    }
    return verdict
  }

  /// The form in which names are compared: lower-case letters and digits. Trailing digits are removed unless nothing else is
  /// left.
  private static func folded(_ name: some StringProtocol) -> String {
    let kept = name.utf8.map(\.asciiLowercased).filter { $0.isDigit || (0x61...0x7A).contains($0) || $0 >= 0x80 }
    let end = kept.lastIndex { !$0.isDigit } ?? kept.endIndex - 1
    return String(decoding: kept[..<(end + 1)], as: UTF8.self)
  }
}

extension Secrets {
  /// The endings of credential names that are secret by default.
  ///
  /// - `key` includes API, account and private keys; the endings in ``harmlessEndings`` are excepted.
  /// - Session names are complete logins. So are signatures, because a signed URL works for anyone.
  /// - `codeverifier`, `oauthverifier` and `assertion` are OAuth proofs (RFC 7636, RFC 5849, RFC 7521), and `devicecode`,
  ///   `usercode` and `authorizationcode` are exchanged for tokens (RFC 8628, RFC 6749); `csrf` and `xsrf` are tokens.
  /// - `recoverycode` and `backupcode` replace a second factor. `samlresponse` is a login.
  /// - `authenticationinfo` is the field of RFC 9110, section 11.6.3, which contains a proof of the password in Digest.
  ///
  /// Not included: identifiers (`id`, `sid`, `client_id`, `AccessKeyId`), the plurals of `token` and `key` (counts, and sets of
  /// public keys), `state` and `nonce`, which are useless to others, and private data that is not a credential, such as card
  /// numbers. `DPoP-Nonce` is not included either. A cursor such as `pageToken` cannot be distinguished from a token, and is
  /// redacted.
  package static let usualEndings: Set<String> = [
    "token", "secret", "secrets", "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd", "pw",
    "key", "apikeys", "otp", "jwt", "bearer", "credential", "credentials", "cookie", "cookies",
    "session", "sessionid", "sessid", "auth", "authorization", "signature", "sig", "hmac",
    "codeverifier", "oauthverifier", "assertion", "csrf", "xsrf", "devicecode", "usercode", "authorizationcode",
    "recoverycode", "recoverycodes", "backupcode", "backupcodes", "samlresponse", "authenticationinfo",
  ]

  /// Whole names that are secret by default. As endings they would match `statusCode`, `mapPin` and `supportTicket`. `DPoP` is
  /// the proof of RFC 9449, and `ticket` the proof of CAS.
  package static let usualNames: Set<String> = ["code", "pin", "ticket", "dpop"]

  /// Endings of names that are not secret although a shorter ending is. `Idempotency-Key` and `Sec-WebSocket-Key` identify a
  /// request or handshake, and the target of a redirect needs them; `Access-Control-Allow-Credentials` is a flag; the others
  /// belong to caches, tables and public-key cryptography.
  package static let harmlessEndings: Set<String> = [
    "idempotencykey", "websocketkey", "surrogatekey", "cachekey", "publickey", "primarykey", "foreignkey", "sortkey",
    "partitionkey", "routingkey", "allowcredentials",
  ]

  /// Suffixes after which a secret name stays secret: a repetition, a hint, or a version (`v` and digits), as in
  /// `password_confirmation` and `token_v2`. Only one such suffix is removed.
  ///
  /// Suffixes that change the meaning are not included: `token_type`, `key_id`, `token_expires_in`, `password_length`.
  package static let repeatingEndings: Set<String> = ["confirmation", "confirm", "verify", "again", "repeat", "hint", "v"]
}

extension Secrets {
  /// The URL, redacted: without user, password and fragment, and with ``mark`` for secret query values and path segments.
  public func redacting(_ url: URL) -> String { redacting(urlText: url.absoluteString) }

  /// Redacts a text as a URL or relative reference, even if it is malformed. If the end of a password is ambiguous, everything
  /// before the last `@` is removed.
  public func redacting(urlText text: some StringProtocol) -> String {
    var parts = URLParts(Userinfo.removed(from: text))
    parts.fragment = nil
    parts.path = redacting(path: parts.path)
    parts.query = parts.query.map { redacting(query: $0)[...] }
    return parts.description
  }

  /// A percent-encoded path, redacted.
  func redacting(path: Substring) -> Substring {
    let path = path.utf8.contains(UInt8(ascii: ";")) ? redacting(parametersOf: path) : path
    return paths.reduce(path) { $1.redacting($0) }
  }

  /// Redacts secret parameters of path segments (RFC 3986, section 3.3): `/cart;jsessionid=…`
  private func redacting(parametersOf path: Substring) -> Substring {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
      redacting(items: segment, separatedBy: UInt8(ascii: ";"))
    }
    return segments.joined(separator: "/")[...]
  }

  /// A percent-encoded query or form, with ``mark`` for the values of secret items.
  public func redacting(query: some StringProtocol) -> String {
    redacting(items: Substring(query).utf8, separatedBy: UInt8(ascii: "&"))
  }

  private func redacting(items: Substring.UTF8View, separatedBy separator: UInt8) -> String {
    // Byte by byte, as servers do: a delimiter and a combining accent after it are one `Character`.
    items.split(separator: separator, omittingEmptySubsequences: false).map { item in
      let item = Array(item)
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return String(decoding: item, as: UTF8.self) }
      let name = String(decoding: item[..<equals], as: UTF8.self)
      let isSecret = contains(QueryParameters.decode(name, plusIsSpace: true)) || hasSecret(item[(equals + 1)...])
      return isSecret ? name + "=" + Self.mark : String(decoding: item, as: UTF8.self)
    }.joined(separator: String(UnicodeScalar(separator)))
  }

  /// Whether the value of a query item contains a secret: a URL with userinfo, or a secret `name=value` after `?`, `#`, `&` or
  /// `;`, as in `/cb?token=…` or, for servers that split at `;`, in `1;token=…`.
  private func hasSecret(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(where: { "@%?;#".utf8.contains($0) }) else { return false }
    let text = QueryParameters.decode(String(decoding: value, as: UTF8.self))
    let parts = URLParts(text)
    if parts.hasAuthority, !parts.user.isEmpty { return true }
    return text.utf8.split(omittingEmptySubsequences: false) { "&;?#".utf8.contains($0) }.dropFirst().contains { item in
      guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return false }
      return contains(QueryParameters.decode(Substring(item[..<equals])))
    }
  }
}

/// Redaction of header fields.
extension Secrets {
  /// The field's value, redacted: ``mark`` if its name is secret; with redacted URLs in `Location`, `Content-Location`,
  /// `Referer`, `Link` and `Refresh`.
  public func redacting(_ field: HTTPField) -> String {
    if contains(field.name) { return Self.mark }
    switch field.name {
    case .location, .contentLocation, .referer: return redacting(reference: field.value)
    case _ where field.name.canonicalName == "link": return redacting(links: field.value)
    case _ where field.name.canonicalName == "refresh": return redacting(refresh: field.value)
    default: return field.value
    }
  }

  /// A redacted URL or relative reference; only the mark if the text is invalid.
  private func redacting(reference text: String) -> String {
    guard !text.isEmpty else { return text }
    return URL(string: text) == nil ? Self.mark : redacting(urlText: text)
  }

  /// A redacted URL reference; only the mark if the text contains a delimiter that no reference contains (RFC 3986, appendix
  /// C).
  private func redacting(whole text: String) -> String {
    text.utf8.contains { "<>\" \t".utf8.contains($0) } ? Self.mark : redacting(reference: text)
  }

  /// A `Link` value: the text between `<` and `>` is redacted as a reference (RFC 8288, section 3), every other word as a
  /// reference or a query, depending on its characters.
  private func redacting(links text: String) -> String {
    var shown = ""
    var rest = Substring(text).unicodeScalars
    let lastClose = rest.lastIndex(of: ">") ?? rest.startIndex
    while let first = rest.first {
      if first == "<", rest.startIndex < lastClose, let close = rest.firstIndex(of: ">") {
        shown += "<" + redacting(whole: String(rest[rest.index(after: rest.startIndex)..<close])) + ">"
        rest = rest[rest.index(after: close)...]
        continue
      }
      let word = String(rest.prefix { !Self.endsWord.contains($0) })
      rest = rest.dropFirst(word.unicodeScalars.count)
      let isReference = word.unicodeScalars.contains { "?#@/".unicodeScalars.contains($0) }
      shown += isReference ? redacting(reference: word) : redacting(query: word)
      // A `<` may begin a reference: the next round handles it.
      if let end = rest.first, end != "<" || word.isEmpty {
        shown.unicodeScalars.append(end)
        rest.removeFirst()
      }
    }
    return shown
  }

  private static let endsWord = Set("<>\"' \t;".unicodeScalars)

  /// A `Refresh` value: the text after `url=`, quoted or to the end, is redacted as a reference (the HTML standard, "shared
  /// declarative refresh steps").
  private func redacting(refresh text: String) -> String {
    let bytes = Array(text.utf8)
    let sign = Array("url=".utf8)
    let found = bytes.indices.first { bytes[$0...].prefix(4).elementsEqual(sign) { $0 | 0x20 == $1 } }
    guard let start = found.map({ $0 + 4 }) else { return redacting(links: text) }
    var reference = bytes[start...]
    var quote = ""
    if let first = reference.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      quote = String(UnicodeScalar(first))
      reference = reference.dropFirst().prefix { $0 != first }
    }
    let shown = redacting(whole: String(decoding: reference, as: UTF8.self))
    return redacting(links: String(decoding: bytes[..<start], as: UTF8.self)) + quote + shown + quote
  }
}

/// A template of consecutive path segments with secret parts: `/bot{token}/`.
struct SecretPath: Sendable, Hashable {
  private let segments: [Segment]

  /// A literal segment, or the prefix and suffix of a secret one.
  private struct Segment: Sendable, Hashable {
    let before: String
    let after: String
    let hasSecret: Bool

    init(_ text: Substring) {
      let open = text.firstIndex(of: "{")
      let close = text.lastIndex(of: "}")
      guard let open, let close, open < close else {
        (before, after, hasSecret) = (text.lowercased(), "", false)
        return
      }
      (before, after, hasSecret) = (text[..<open].lowercased(), text[text.index(after: close)...].lowercased(), true)
    }

    func matches(_ segment: Substring) -> Bool {
      let text = QueryParameters.decode(segment).lowercased().utf8
      guard hasSecret else { return text.elementsEqual(before.utf8) }
      guard text.count > before.utf8.count + after.utf8.count else { return false }
      return text.starts(with: before.utf8) && text.suffix(after.utf8.count).elementsEqual(after.utf8)
    }
  }

  init(_ template: String) {
    segments = template.split(separator: "/").map(Segment.init)
  }

  /// The percent-encoded path with its secret parts redacted.
  func redacting(_ path: Substring) -> Substring {
    guard segments.contains(where: \.hasSecret) else { return path }
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    // Skips empty segments, because servers treat two slashes as one.
    let places = parts.indices.filter { !parts[$0].isEmpty }
    for start in places.indices.dropLast(segments.count - 1) {
      let window = zip(places[start...], segments)
      guard window.allSatisfy({ $1.matches(parts[$0]) }) else { continue }
      for (place, segment) in window where segment.hasSecret {
        parts[place] = (segment.before + Secrets.mark + segment.after)[...]
      }
    }
    return parts.joined(separator: "/")[...]
  }
}
