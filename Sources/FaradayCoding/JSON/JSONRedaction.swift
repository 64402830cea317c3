package import FaradayCore

/// Redacts the values of secret members of JSON text. The text can be complete, truncated, or several values in a row. It is
/// scanned and not parsed, so that everything else stays unchanged. If the value of a secret member is a string that runs over
/// the end of a line, which JSON does not allow, it is unknown where it ends, and the rest of the text is redacted too.
///
/// A string that contains a JSON array or object is redacted in the same way, recursively. A string nested more than four
/// levels deep is redacted completely. URLs in strings are redacted too.
package struct JSONRedaction {
  private let secrets: Secrets
  /// The number of remaining levels of JSON in strings.
  private let levels: Int
  /// Whether a secret value keeps its type.
  private let keepsTypes: Bool
  private var rest: ArraySlice<UInt8>
  private var shown: [UInt8] = []

  private init(_ text: String, _ secrets: Secrets, levels: Int, keepsTypes: Bool) {
    self.secrets = secrets
    self.levels = levels
    self.keepsTypes = keepsTypes
    rest = Array(text.utf8)[...]
  }

  /// Returns the text with its secrets redacted.
  ///
  /// - Parameter keepsTypes: whether the value of a secret member keeps its type, so that the text can be decoded as before: a
  ///   number becomes 0, in an array or object each value is redacted, and `null`, `true` and `false` are unchanged.
  package static func redacted(_ text: String, _ secrets: Secrets, keepingTypes keepsTypes: Bool = false) -> String {
    redacted(text, secrets, levels: 4, keepsTypes)
  }

  private static func redacted(_ text: String, _ secrets: Secrets, levels: Int, _ keepsTypes: Bool) -> String {
    var redaction = JSONRedaction(text, secrets, levels: levels, keepsTypes: keepsTypes)
    while !redaction.rest.isEmpty { redaction.step() }
    return String(decoding: redaction.shown, as: UTF8.self)
  }

  private mutating func step() {
    guard rest.first == Self.quote else { return copyByte() }
    // JSON has no line ends in strings (RFC 8259, section 7).
    let begun = rest
    let string = takeString(endsWithLine: true)
    let after = rest.drop(while: Self.isBlank)
    guard after.first == UInt8(ascii: ":"), isSecret(string) else {
      shown += redacted(string)
      // In a text that is not only JSON, this quote may begin a string as well as end one. In JSON, no name and no URL is between
      // two strings.
      if string.count > 1, string.last == Self.quote {
        shown.removeLast()
        rest = begun[(string.endIndex - 1)...]
      }
      return
    }
    shown += string
    shown += takeBlanks()
    copyByte()
    shown += takeBlanks()
    if keepsTypes { return hideValue() }
    skipValue()
    shown += Self.mark
  }

  private static let mark = Array("\"\(Secrets.mark)\"".utf8)

  /// Whether a name is secret. A name with an escape counts as secret, because it could decode to any name.
  private func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    let inner = name.dropFirst().dropLast()
    return inner.contains(Self.backslash) || secrets.contains(String(decoding: inner, as: UTF8.self))
  }

  /// Returns a string with its quotes, unchanged unless its text is JSON that contains a secret.
  private func redacted(_ string: ArraySlice<UInt8>) -> [UInt8] {
    // The names of members have quotes, which are escaped within a string.
    let mayBeURL = string.firstRange(of: "://".utf8) != nil
    guard mayBeURL || string.contains(Self.backslash), let text = Self.text(of: string) else { return Array(string) }
    let first = text.utf8.first { !Self.isBlank($0) }
    let redacted: String
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      redacted = levels > 0 ? Self.redacted(text, secrets, levels: levels - 1, keepsTypes) : Secrets.mark
    } else {
      redacted = withoutSecretsOfURLs(text)
    }
    return redacted == text ? Array(string) : Array(JSONValue.string(redacted).description.utf8)
  }

  /// The text with its URLs redacted. A URL without secrets keeps its fragment.
  private func withoutSecretsOfURLs(_ text: String) -> String {
    guard text.utf8.firstRange(of: "://".utf8) != nil else { return text }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let place = word.prefix { $0 != "#" }
      guard place.utf8.firstRange(of: "://".utf8) != nil else { return String(word) }
      let shown = secrets.redacting(urlText: place)
      return shown == place ? String(word) : shown
    }
    return words.joined(separator: " ")
  }

  /// Decodes a string literal, even a truncated one. A surrogate pair takes twelve bytes.
  private static func text(of string: ArraySlice<UInt8>) -> String? {
    if let whole = try? JSONValue(bytes: string.span.bytes) { return whole.string }
    for missing in 0..<12 {
      let closed = string.dropLast(missing) + [quote]
      if let cut = try? JSONValue(bytes: closed.span.bytes) { return cut.string }
    }
    return nil
  }

  /// Takes a value, and shows one of the same type.
  private mutating func hideValue() {
    var depth = 0
    repeat {
      switch rest.first {
      case nil: return
      case Self.quote:
        let string = takeSecretString()
        let blanks = takeBlanks()
        shown += depth > 0 && rest.first == UInt8(ascii: ":") ? Array(string) : Self.mark
        shown += blanks
      case let byte? where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
        depth += 1
        copyByte()
      case let byte? where byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"):
        guard depth > 0 else { return }
        depth -= 1
        copyByte()
      case UInt8(ascii: ",") where depth == 0: return
      case let byte? where Self.isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":"): copyByte()
      default:
        let scalar = rest.prefix { !Self.isBlank($0) && !Self.endsScalar.contains($0) }
        rest = rest[scalar.endIndex...]
        if Self.literals.contains(Array(scalar)) {
          shown += scalar
        } else {
          shown += scalar.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? [UInt8(ascii: "0")] : Self.mark
        }
      }
    } while depth > 0
  }

  private static let literals = ["null", "true", "false"].map { Array($0.utf8) }

  private mutating func copyByte() {
    if let byte = rest.popFirst() { shown.append(byte) }
  }

  private mutating func skipValue() {
    var depth = 0
    repeat {
      switch rest.first {
      case nil: return
      case Self.quote: _ = takeSecretString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        rest.removeFirst()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return }
        depth -= 1
        rest.removeFirst()
      case UInt8(ascii: ",") where depth == 0: return
      case let byte? where depth == 0 && !Self.isBlank(byte):
        rest = rest.drop { !Self.isBlank($0) && !Self.endsScalar.contains($0) }
      default: rest.removeFirst()
      }
    } while depth > 0
  }

  /// Takes a string with its quotes; a truncated string has no closing quote.
  private mutating func takeString(endsWithLine: Bool = false) -> ArraySlice<UInt8> {
    var end = rest.startIndex + 1
    var isEscaped = false
    while end < rest.endIndex, isEscaped || rest[end] != Self.quote {
      if endsWithLine, Self.endsLine(rest[end]) { break }
      isEscaped = !isEscaped && rest[end] == Self.backslash
      end += 1
    }
    if end < rest.endIndex, rest[end] == Self.quote { end += 1 }
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  /// Takes a string that is shown only if it is a name. If it runs over the end of a line, takes the rest of the text.
  private mutating func takeSecretString() -> ArraySlice<UInt8> {
    let string = takeString()
    if string.contains(where: Self.endsLine) { rest = [] }
    return string
  }

  private mutating func takeBlanks() -> ArraySlice<UInt8> {
    let blanks = rest.prefix(while: Self.isBlank)
    rest = rest[blanks.endIndex...]
    return blanks
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let endsScalar = Set(",]}".utf8)
  private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
