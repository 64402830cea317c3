/// A path template with variables in braces: `/users/{id}/posts`.
///
///     try PathTemplate("/users/{id}").path(["id": 42])      // /users/42
///
/// Each value is percent-encoded into one path segment, slashes included: simple string expansion of RFC 6570, section 3.2.2. This
/// prevents path traversal by a value such as `../admin`. `URITemplate` in FaradayHAL implements the whole RFC.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The template as it was written.
  public let text: String

  /// A template; it is checked when it is expanded.
  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.text = text }

  /// Expands the template. Throws ``PathTemplateError`` if a variable has no value, a value has no variable, or a value is empty.
  ///
  /// - Parameters:
  ///   - values: the values by the names of their variables.
  ///   - defaults: values for variables that have none in `values`. These may have no variable.
  public func path(
    _ values: [String: any ParameterValue] = [:], defaults: [String: any ParameterValue] = [:]
  ) throws(PathTemplateError) -> String {
    // By bytes, as servers do: a `Character` joins a brace with an accent behind it.
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
      // A segment of `.` or `..` changes the path, also percent-encoded (RFC 3986, section 6.2.2.3). In a query they are text.
      guard !path.contains(where: { $0 != Self.slash && Self.endsSegment($0) }) else { continue }
      let start = path.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
      let segment = QueryParameters.decode(
        String(decoding: path[start...] + rest.prefix { !Self.endsSegment($0) }, as: UTF8.self))
      guard segment != ".", segment != ".." else { throw fail(.dotSegment(name)) }
    }
    // The first by name, so that the error is deterministic.
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

  /// The template from the root on, as the path of a URL that it was expanded and joined to; as it was written if it is none.
  package func absolute(in url: URL) -> String {
    let expected = Self.segments(text)
    let path = Self.segments(url.absoluteString)
    guard path.count >= expected.count else { return text }
    return "/" + (path.dropLast(expected.count) + expected).joined(separator: "/")
  }

  /// Whether a URL's path may be this template's, which begins at the root.
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

  /// Letters, digits, `_`, `-` and dots within: no operator, list or modifier of RFC 6570, and no brace.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first != "." else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
      default: false
      }
    }
  }

  private func fail(_ reason: PathTemplateError.Reason) -> PathTemplateError {
    PathTemplateError(reason: reason, template: text)
  }
}

/// A path template that could not be expanded. The usual secrets are redacted in its `description`.
public struct PathTemplateError: FaradayError, Equatable, CustomReflectable {
  /// Why a template could not be expanded.
  public enum Reason: Sendable, Hashable {
    /// The variable with that name has no value.
    case missing(String)
    /// The value with that name has no variable in the template.
    case unknown(String)
    /// The value with that name is empty.
    case empty(String)
    /// The value with that name makes its segment `.` or `..` (path traversal).
    case dotSegment(String)
    /// `{` without `}`.
    case unclosed
    /// The text between the braces is not a valid variable name.
    case invalidName(String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The template, not redacted: do not log it.
  public let template: String

  package init(reason: Reason, template: String) {
    self.reason = reason
    self.template = template
  }

  public var description: String {
    let template = Secrets().redacting(urlText: template).bounded().escapingControls()
    return switch reason {
    case .missing(let name):
      "the path \(template) has no value for {\(name.bounded())}: pass one, or write a literal brace as %7B"
    case .unknown(let name): "the path \(template) has no variable {\(name.bounded().escapingControls())}"
    case .empty(let name): "the value for {\(name.bounded())} in the path \(template) is empty"
    case .dotSegment(let name): "the value for {\(name.bounded())} makes a `.` or `..` segment in the path \(template)"
    case .unclosed: "the path \(template) has a { without }"
    // Neither the text between the braces nor what follows is shown: it may be anything, also JSON with secrets.
    case .invalidName: "the path \(template.prefix { $0 != "{" })… has braces around text that is not a variable name"
    }
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
