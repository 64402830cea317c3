/// A media type with its parameters (RFC 9110, section 8.3.1): `text/html; charset=utf-8`.
///
/// Two are equal if type and subtype are, whatever their case and parameters: `application/json` is
/// `Application/JSON; charset=utf-8`.
public struct MediaType: Sendable, Hashable {
  /// `text` of `text/html`, in lower case.
  public let type: String
  /// `html` of `text/html`, in lower case.
  public let subtype: String
  /// In their order; names in lower case, values without quotes.
  public var parameters: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }

  private let pairs: [Parameter]

  private struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  public init(_ type: String, _ subtype: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    pairs = parameters.map { Parameter(name: $0.key.lowercased(), value: $0.value) }
  }

  /// Reads a `Content-Type`. Nil if it has no type and subtype; what is no parameter is left out.
  public init?(_ text: some StringProtocol) {
    let parts = Self.split(text)
    let names = parts[0].split(separator: "/", omittingEmptySubsequences: false).map { $0.trimming() }
    // A name of a field is a token too, which a line break is not.
    guard names.count == 2, names.allSatisfy({ HTTPField.Name($0) != nil }) else { return nil }
    type = names[0].lowercased()
    subtype = names[1].lowercased()
    pairs = parts.dropFirst().compactMap { part in
      guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = part[..<equals].trimming()
      // A token too (RFC 9110, section 5.6.6).
      guard HTTPField.Name(name) != nil else { return nil }
      return Parameter(name: name.lowercased(), value: Self.unquoted(part[part.utf8.index(after: equals)...].trimming()))
    }
  }

  /// The value of a parameter, whatever the case of its name.
  public subscript(parameter: String) -> String? {
    let name = parameter.lowercased()
    return pairs.first { $0.name == name }?.value
  }

  public static func == (left: MediaType, right: MediaType) -> Bool {
    left.type == right.type && left.subtype == right.subtype
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(subtype)
  }

  /// Whether it is JSON: `application/json`, or a type that ends in `+json` (RFC 6839).
  public var isJSON: Bool { self == .json || subtype.hasSuffix("+json") || (type == "text" && subtype == "json") }

  public static let json = MediaType("application", "json")
  public static let form = MediaType("application", "x-www-form-urlencoded")
  public static let multipartForm = MediaType("multipart", "form-data")
  public static let binary = MediaType("application", "octet-stream")
  public static let text = MediaType("text", "plain", parameters: ["charset": "utf-8"])
  public static let html = MediaType("text", "html", parameters: ["charset": "utf-8"])
  public static let css = MediaType("text", "css", parameters: ["charset": "utf-8"])
  public static let xml = MediaType("application", "xml")
  public static let png = MediaType("image", "png")
  public static let jpeg = MediaType("image", "jpeg")
  public static let gif = MediaType("image", "gif")
  public static let svg = MediaType("image", "svg+xml")

  /// At semicolons that stand in no quotes. Scalar by scalar: with an accent behind it, a sign is another `Character`.
  private static func split(_ text: some StringProtocol) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == "\"" && !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && scalar == "\\" && !isEscaped
      if scalar == ";" && !isQuoted { parts.append("") } else { parts[parts.count - 1].unicodeScalars.append(scalar) }
    }
    return parts
  }

  private static func unquoted(_ text: String) -> String {
    let quote: Unicode.Scalar = "\""
    let scalars = text.unicodeScalars
    guard scalars.count >= 2, scalars.first == quote, scalars.last == quote else { return text }
    var value = ""
    var isEscaped = false
    for scalar in scalars.dropFirst().dropLast() {
      if scalar == "\\" && !isEscaped {
        isEscaped = true
      } else {
        value.unicodeScalars.append(scalar)
        isEscaped = false
      }
    }
    return value
  }
}

extension MediaType: CustomStringConvertible {
  /// As it stands in a `Content-Type`; a value that is no token is quoted.
  public var description: String {
    let text = pairs.reduce("\(type)/\(subtype)") {
      $0 + "; \($1.name)=\(HTTPField.Name($1.value) == nil ? Self.quoted($1.value) : $1.value)"
    }
    // What could end the line has no place in it.
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
  }

  private static func quoted(_ value: String) -> String {
    let scalars = value.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": "\\" + String(scalar)
      // It would end the line.
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: " "
      default: String(scalar)
      }
    }
    return "\"" + scalars.joined() + "\""
  }
}

extension HTTPFields {
  /// The type of the content, without its parameters: `application/json`. Nil if there is none.
  public var contentType: MediaType? { self[.contentType].flatMap { MediaType($0) } }

  /// The media types of `Accept`, each with its parameters, in order. Setting an empty list leaves an empty field.
  public var accepted: [String] {
    get {
      (self[.accept] ?? "").split(byte: ",").map { String($0).trimming() }.filter { !$0.isEmpty }
    }
    set { self[.accept] = newValue.joined(separator: ", ") }
  }

  /// Accepts these types too, behind those that are accepted already, each once.
  public mutating func accept(_ types: String...) {
    var all = accepted
    for type in types where !all.contains(type) { all.append(type) }
    accepted = all
  }
}

extension StringProtocol {
  /// What stands between the bytes that are the ASCII character. As a `Character` it may be part of another: some join what is behind
  /// them, a comma too (U+06DD).
  package func split(byte: Unicode.Scalar) -> [Substring] {
    Substring(self).utf8.split(separator: UInt8(ascii: byte)).map { Substring($0) }
  }

  /// Without spaces and tabs at its ends, byte by byte: one that an accent stands behind is one too.
  package func trimming() -> String {
    var bytes = Substring(self).utf8
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return String(Substring(bytes))
  }
}
