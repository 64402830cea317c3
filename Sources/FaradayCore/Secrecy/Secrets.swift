/// The registry of names whose values are secret: of header fields, query items, form fields and JSON members. One for a
/// connection, read by everything that shows a request to a person or sends it to another server.
///
///     connection.secrets.insert("X-Tenant")                // that name
///     connection.secrets.insert(ending: "handle")          // and whatever ends like this
///     connection.secrets.remove("next_page_token")         // shown, though it ends in "token"
///     connection.secrets.insert(path: "/bot{token}/")      // a part of a path
///
/// Names are compared without case, without all that is no letter or digit, and without digits at their end: `X-Api-Key`,
/// `x_api_key`, `apiKey` and `ApiKey2` are known by the same ending. To begin with it has the usual names of credentials, see
/// ``usualEndings``. A word of ``repeatingEndings`` behind the name of a secret leaves it one: `password_confirmation`, `token_v2`.
///
/// A redirect to another origin goes without the header fields of these names; logs, errors, descriptions and curl commands
/// show ``Secrets/mark`` instead of the values. `Authorization`, `Proxy-Authorization` and `Cookie` go to no other origin even if
/// they are removed here.
public struct Secrets: Sendable, Hashable {
  /// Whether a name is secret, by the whole of it; that goes before its ending.
  private var names: [String: Bool]
  /// Whether names with this ending are; the longest ending decides.
  private var endings: [String: Bool]
  private(set) var paths: Set<SecretPath> = []

  /// The usual names.
  public init() {
    names = Self.usual.names
    endings = Self.usual.endings
  }

  private init(names: [String: Bool], endings: [String: Bool]) {
    self.names = names
    self.endings = endings
  }

  /// No names at all, for a registry of one's own.
  public static let none = Secrets(names: [:], endings: [:])

  private static let usual = Secrets(
    names: table(usualNames, true), endings: table(usualEndings, true).merging(table(harmlessEndings, false)) { $1 })

  private static func table(_ names: some Sequence<String>, _ isSecret: Bool) -> [String: Bool] {
    Dictionary(names.map { (folded($0), isSecret) }) { $1 }
  }

  /// What stands in the place of a secret.
  public static let mark = "[secret]"

  /// Makes these names secret, whole: `id` does not make `user_id` secret.
  public mutating func insert(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = true }
  }

  /// Makes this header field secret.
  public mutating func insert(_ name: HTTPField.Name) { insert(name.rawName) }

  /// Makes these names no secret, whole, whatever they end in.
  public mutating func remove(_ names: String...) {
    for name in names { self.names[Self.folded(name)] = false }
  }

  /// Makes all names secret that end in this.
  public mutating func insert(ending: String) { endings[Self.folded(ending)] = true }

  /// Makes all names no secret that end in this and in no longer ending that is.
  public mutating func remove(ending: String) { endings[Self.folded(ending)] = false }

  /// Makes parts of paths secret: what stands in the place of `{…}`, up to the next slash, wherever in a path the segments of the
  /// template follow each other. `/bot{token}/`, `/services/{team}/{hook}/{key}`. Case and percent-encoding make no difference.
  public mutating func insert(path template: String) { paths.insert(SecretPath(template)) }

  /// Takes a template away that was inserted.
  public mutating func remove(path template: String) { paths.remove(SecretPath(template)) }

  /// Whether the value under this name is secret. `user[password]` and `token[0]` are names of forms, and secret.
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

  /// Makes secret here what is secret there too.
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
    // Once: a name may be as long as a server likes.
    guard let ending = Self.repeatingEndings.first(where: { folded.utf8.reversed().starts(with: $0.utf8.reversed()) }) else {
      return false
    }
    return verdict(on: Self.folded(folded.dropLast(ending.count))) ?? false
  }

  /// Nil if it is not known.
  private func verdict(on folded: String) -> Bool? { names[folded] ?? verdict(onEnding: folded) }

  private func verdict(onEnding folded: String) -> Bool? {
    let bytes = folded.utf8
    var longest = 0
    var verdict: Bool?
    for (ending, isSecret) in endings where ending.utf8.count > longest && ending.utf8.count <= bytes.count {
      // Most differ here.
      guard bytes.last == ending.utf8.last, bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { continue }
      longest = ending.utf8.count
      verdict = isSecret
    }
    return verdict
  }

  /// As names are compared. Digits at the end go only where something stands before them.
  private static func folded(_ name: some StringProtocol) -> String {
    let kept = name.utf8.map(\.asciiLowercased).filter { $0.isDigit || (0x61...0x7A).contains($0) || $0 >= 0x80 }
    let end = kept.lastIndex { !$0.isDigit } ?? kept.endIndex - 1
    return String(decoding: kept[..<(end + 1)], as: UTF8.self)
  }
}
