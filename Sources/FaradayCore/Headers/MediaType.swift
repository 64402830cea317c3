/// A media type (MIME type, content type) with its parameters: `text/html; charset=utf-8` (RFC 9110, section 8.3.1).
///
/// Equality compares type and subtype case-insensitively and ignores parameters: `application/json` equals
/// `Application/JSON; charset=utf-8`.
public struct MediaType: Sendable, Hashable {
  /// `text` of `text/html`, in lower case.
  public let type: String
  /// `html` of `text/html`, in lower case.
  public let subtype: String
  /// The parameters in order; names in lower case, values unquoted.
  public var parameters: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }

  private let pairs: [Parameter]

  private struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// A media type from its parts, which are not validated.
  public init(_ type: String, _ subtype: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    pairs = parameters.map { Parameter(name: $0.key.lowercased(), value: $0.value) }
  }

  /// Parses a `Content-Type` value. Nil without a type and subtype. Malformed parameters are skipped.
  public init?(_ text: some StringProtocol) {
    var rest = Substring(text)
    let essence = Self.part(of: &rest)
    guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let (type, subtype) = (essence[..<slash].trimming(), essence[essence.utf8.index(after: slash)...].trimming())
    guard type.isToken, subtype.isToken else { return nil }
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    var pairs: [Parameter] = []
    while !rest.isEmpty {
      let part = Self.part(of: &rest)
      guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = part[..<equals].trimming()
      guard name.isToken else { continue }
      let value = Self.unquoted(part[part.utf8.index(after: equals)...].trimming())
      pairs.append(Parameter(name: name.lowercased(), value: value))
    }
    self.pairs = pairs
  }

  /// The value of a parameter, by its case-insensitive name.
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

  /// Whether this is a JSON type: `application/json`, `text/json`, or a subtype with the suffix `+json` (RFC 6839).
  public var isJSON: Bool { self == .json || subtype.hasSuffix("+json") || (type == "text" && subtype == "json") }

  /// Whether bodies of this type are text: JSON, XML, forms, scripts, and everything under `text`.
  package var isText: Bool {
    type == "text" || isJSON || self == .form || subtype.hasSuffix("xml") || Self.textSubtypes.contains(subtype)
  }

  private static let textSubtypes: Set = [
    "javascript", "x-javascript", "ndjson", "x-ndjson", "jsonl", "json-seq", "yaml", "x-yaml", "toml", "graphql",
  ]

  /// `application/json`
  public static let json = MediaType("application", "json")
  /// `application/x-www-form-urlencoded`
  public static let form = MediaType("application", "x-www-form-urlencoded")
  /// `multipart/form-data`
  public static let multipartForm = MediaType("multipart", "form-data")
  /// `application/octet-stream`
  public static let binary = MediaType("application", "octet-stream")
  /// `text/plain; charset=utf-8`
  public static let text = MediaType("text", "plain", parameters: ["charset": "utf-8"])
  /// `text/html; charset=utf-8`
  public static let html = MediaType("text", "html", parameters: ["charset": "utf-8"])
  /// `application/xml`
  public static let xml = MediaType("application", "xml")
  /// `image/png`
  package static let png = MediaType("image", "png")
  /// `image/jpeg`
  package static let jpeg = MediaType("image", "jpeg")
  /// `image/gif`
  package static let gif = MediaType("image", "gif")

  /// Removes and returns the text before the next unquoted semicolon, and removes the semicolon. Byte by byte: a semicolon and
  /// a combining accent after it are one `Character`.
  private static func part(of rest: inout Substring) -> Substring {
    var isQuoted = false
    var isEscaped = false
    let end = rest.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "\"") && !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
      return byte == UInt8(ascii: ";") && !isQuoted
    }
    guard let end else {
      defer { rest = "" }
      return rest
    }
    defer { rest = rest[rest.utf8.index(after: end)...] }
    return rest[..<end]
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
  /// The value of a `Content-Type` field; parameter values that are not tokens are quoted.
  public var description: String {
    let text = pairs.reduce("\(type)/\(subtype)") {
      $0 + "; \($1.name)=\($1.value.isToken ? $1.value : Self.quoted($1.value))"
    }
    // Removes control characters, because the value becomes part of a header line.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
  }

  private static func quoted(_ value: String) -> String {
    let scalars = value.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": "\\" + String(scalar)
      // A control character could end the header line.
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: " "
      default: String(scalar)
      }
    }
    return "\"" + scalars.joined() + "\""
  }
}

extension HTTPFields {
  /// The parsed `Content-Type`; nil if it is missing or malformed.
  public var contentType: MediaType? { self[.contentType].flatMap { MediaType($0) } }

  /// The media types of `Accept`, with their parameters, in order. Setting an empty list sets an empty field.
  public var accepted: [String] {
    get {
      (self[.accept] ?? "").split(byte: ",").map { String($0).trimming() }.filter { !$0.isEmpty }
    }
    set { self[.accept] = newValue.joined(separator: ", ") }
  }

  /// Appends types to `Accept`, unless it contains them already.
  public mutating func accept(_ types: String...) {
    var all = accepted
    for type in types where !all.contains(type) { all.append(type) }
    accepted = all
  }
}

extension StringProtocol {
  /// Whether the text is a token: a method, a field name, a parameter's name (RFC 9110, section 5.6.2).
  var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

  /// Splits at an ASCII character, byte by byte: a `Character` may join it with its neighbours (U+06DD does so with a comma).
  package func split(byte: Unicode.Scalar) -> [Substring] {
    Substring(self).utf8.split(separator: UInt8(ascii: byte)).map { Substring($0) }
  }

  /// Trims spaces and tabs, byte by byte: a space that a combining accent follows is trimmed too.
  package func trimming() -> String {
    var bytes = Substring(self).utf8
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return String(Substring(bytes))
  }
}
