/// The redaction rules of a connection: names of header fields, query items, form fields and JSON members whose values are secret.
/// Descriptions, errors, logs, curl commands and cross-origin redirects obey them.
///
///     connection.secrets.insert("X-Tenant")                // that name
///     connection.secrets.insert(ending: "handle")          // and whatever ends like this
///     connection.secrets.remove("next_page_token")         // shown, though it ends in "token"
///     connection.secrets.insert(path: "/bot{token}/")      // a part of a path
///
/// Names are compared case-insensitively, without punctuation and trailing digits: `X-Api-Key`, `x_api_key`, `apiKey` and `ApiKey2`
/// match the same ending. The defaults are the usual names of credentials, see ``usualEndings``. A suffix of ``repeatingEndings``
/// keeps a name secret: `password_confirmation`, `token_v2`.
///
/// Secret values are replaced with ``Secrets/mark`` in logs, errors, descriptions and curl commands. Secret header fields are
/// removed from cross-origin requests; `Authorization`, `Proxy-Authorization` and `Cookie` are removed even if they are not secret
/// here.
public struct Secrets: Sendable, Hashable {
  /// Whether a whole name is secret; it takes precedence over endings.
  private var names: [String: Bool]
  /// Whether names with an ending are secret; the longest matching ending decides.
  private var endings: [String: Bool]
  private(set) var paths: Set<SecretPath> = []

  /// The default rules: the usual names of credentials.
  public init() {
    names = Self.usual.names
    endings = Self.usual.endings
  }

  private init(names: [String: Bool], endings: [String: Bool]) {
    self.names = names
    self.endings = endings
  }

  /// No rules, to start from.
  public static let none = Secrets(names: [:], endings: [:])

  private static let usual = Secrets(
    names: table(usualNames, true), endings: table(usualEndings, true).merging(table(harmlessEndings, false)) { $1 })

  private static func table(_ names: some Sequence<String>, _ isSecret: Bool) -> [String: Bool] {
    Dictionary(names.map { (folded($0), isSecret) }) { $1 }
  }

  /// The text that replaces a secret.
  public static let mark = "[secret]"

  /// Makes names secret, compared whole: `id` does not make `user_id` secret.
  public mutating func insert(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = true }
  }

  /// Makes a header field secret.
  public mutating func insert(_ name: HTTPField.Name) { insert(name.rawName) }

  /// Makes names not secret, compared whole, whatever their endings are.
  public mutating func remove(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = false }
  }

  /// Makes all names with an ending secret.
  public mutating func insert(ending: String) { endings[Self.folded(ending)] = true }

  /// Makes all names with an ending not secret, except those that match a longer secret ending.
  public mutating func remove(ending: String) { endings[Self.folded(ending)] = false }

  /// Makes parts of URL paths secret: those in the place of `{…}`, wherever a path contains the template's segments, as in
  /// `/bot{token}/` and `/services/{team}/{hook}/{key}`. Case-insensitive; percent-encoding is ignored.
  public mutating func insert(path template: String) { paths.insert(SecretPath(template)) }

  /// Removes a path template that was inserted.
  public mutating func remove(path template: String) { paths.remove(SecretPath(template)) }

  /// Whether values with this name are secret. Names of nested form fields count by their parts: `user[password]` and `token[0]`
  /// are secret.
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

  /// Adds the rules of other secrets: what is secret in either is secret in the union.
  mutating func formUnion(_ other: Secrets) {
    guard self != other else { return }
    for (name, isSecret) in names where !isSecret && other.isSecret(name) { names[name] = true }
    for (ending, isSecret) in endings where !isSecret && other.verdict(onEnding: ending) == true { endings[ending] = true }
    names.merge(other.names.filter(\.value)) { $1 }
    endings.merge(other.endings.filter(\.value)) { $1 }
    paths.formUnion(other.paths)
  }

  private func isSecret(_ folded: String) -> Bool {
    if let verdict = verdict(on: folded) { return verdict }
    // One suffix only: a server may send names of any length.
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

  /// The form in which names are compared: lower-case letters and digits. Trailing digits are removed unless nothing else is left.
  private static func folded(_ name: some StringProtocol) -> String {
    let kept = name.utf8.map(\.asciiLowercased).filter { $0.isDigit || (0x61...0x7A).contains($0) || $0 >= 0x80 }
    let end = kept.lastIndex { !$0.isDigit } ?? kept.endIndex - 1
    return String(decoding: kept[..<(end + 1)], as: UTF8.self)
  }
}
