/// A path template with variables in braces: `/users/{id}/posts`.
///
///     try PathTemplate("/users/{id}").path(["id": 42])      // /users/42
///
/// Each value is percent-encoded into one path segment, including slashes: simple string expansion of RFC 6570, section 3.2.2.
/// This prevents path traversal by a value such as `../admin`. `URITemplate` in FaradayHAL implements the whole RFC.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The original template.
  public let text: String

  /// A template. It is validated when it is expanded.
  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.text = text }

  /// Expands the template. Throws ``InvalidValueError`` if a variable has no value, a value has no variable, or a value is
  /// empty.
  ///
  /// - Parameters:
  ///   - values: the values by the names of their variables.
  ///   - defaults: values for variables without a value in `values`. A default without a variable is ignored.
  public func path(
    _ values: [String: any ParameterValue] = [:], defaults: [String: any ParameterValue] = [:]
  ) throws(InvalidValueError) -> String {
    // Byte by byte, as servers do: a brace and a combining accent after it are one `Character`.
    var path: [UInt8] = []
    var rest = Array(text.utf8)[...]
    var unused = Set(values.keys)
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      path += rest[..<open]
      guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else { throw fail(.unclosed) }
      let name = String(decoding: rest[rest.index(after: open)..<close], as: UTF8.self).trimming()
      guard Self.isName(name) else { throw fail(.invalidName(name)) }
      guard let value = (values[name] ?? defaults[name])?.parameterText else { throw fail(.missing(name)) }
      guard !value.isEmpty else { throw fail(.empty(name)) }
      unused.remove(name)
      path += QueryParameters.encode(value).utf8
      rest = rest[rest.index(after: close)...]
      // A segment `.` or `..` changes the path, even percent-encoded (RFC 3986, section 6.2.2.3). In a query it is text.
      guard !path.contains(where: { $0 != Self.slash && Self.endsSegment($0) }) else { continue }
      let start = path.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
      let segment = QueryParameters.decode(
        String(decoding: path[start...] + rest.prefix { !Self.endsSegment($0) }, as: UTF8.self))
      guard segment != ".", segment != ".." else { throw fail(.dotSegment(name)) }
    }
    // The alphabetically first name, so that the error is deterministic.
    if let name = unused.min() { throw fail(.unknown(name)) }
    return String(decoding: path + rest, as: UTF8.self)
  }

  /// The name of the first variable; nil if the text has none. Other braces, `{}` or `{"a": 1}`, are text.
  package var firstVariable: String? {
    var rest = text.utf8[...]
    // The common case has no brace.
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      rest = rest[rest.index(after: open)...]
      guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return nil }
      let name = Substring(rest[..<end]).trimming()
      if rest[end] == UInt8(ascii: "}"), Self.isName(name) { return name }
      rest = rest[end...]
    }
    return nil
  }

  /// The template from the root on: the URL's path, with the template in place of its last segments. The URL is the template
  /// expanded and joined to a base URL. The path of the template if the URL's path is shorter.
  package func absolute(in url: URL) -> String {
    let expected = Self.segments(text)
    let path = Self.segments(url.absoluteString)
    guard path.count >= expected.count else { return String(URLParts(text).path) }
    return "/" + (path.dropLast(expected.count) + expected).joined(separator: "/")
  }

  /// Whether the template, which begins at the root, can expand to the URL's path.
  package func matches(_ url: URL) -> Bool {
    let expected = Self.segments(text)
    let path = Self.segments(url.absoluteString)
    return path.count == expected.count && zip(path, expected).allSatisfy { $0 == $1 || $1.contains("{") }
  }

  private static func segments(_ url: String) -> [Substring] { URLParts(url).path.split(separator: "/") }

  private static let slash = UInt8(ascii: "/")

  private static func endsSegment(_ byte: UInt8) -> Bool {
    byte == slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether the text is a variable name: letters, digits, `_`, `-` and inner dots. Operators, lists and modifiers of RFC 6570,
  /// and braces, are not allowed.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first != "." else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
      default: false
      }
    }
  }

  private func fail(_ problem: Problem) -> InvalidValueError { InvalidValueError(path: problem, template: text) }
}

extension PathTemplate {
  /// The reason why a template could not be expanded.
  public enum Problem: Sendable, Hashable {
    /// The named variable has no value.
    case missing(String)
    /// The named value has no variable in the template.
    case unknown(String)
    /// The named value is empty.
    case empty(String)
    /// The named value makes its segment `.` or `..` (path traversal).
    case dotSegment(String)
    /// `{` without `}`.
    case unclosed
    /// The text between the braces is not a valid variable name.
    case invalidName(String)

    /// The problem in words.
    ///
    /// - Parameter template: the redacted template.
    func text(of template: String) -> String {
      switch self {
      case .missing(let name):
        "the path \(template) has no value for {\(name.bounded())}: pass one, or write a literal brace as %7B"
      case .unknown(let name): "the path \(template) has no variable {\(name.bounded().escapingControls())}"
      case .empty(let name): "the value for {\(name.bounded())} in the path \(template) is empty"
      case .dotSegment(let name): "the value for {\(name.bounded())} makes a `.` or `..` segment in the path \(template)"
      case .unclosed: "the path \(template) has a { without }"
      // Hides the text from the brace on: it may be anything, such as JSON with secrets.
      case .invalidName: "the path \(template.prefix { $0 != "{" })… has braces around text that is not a variable name"
      }
    }
  }
}
