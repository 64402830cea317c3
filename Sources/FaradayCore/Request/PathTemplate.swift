/// A path with variables in braces: `/users/{id}/posts`.
///
///     try PathTemplate("/users/{id}").path(["id": 42])      // /users/42
///
/// A value is percent-encoded and stays within its segment, whatever is in it: simple string expansion (RFC 6570, section 3.2.2).
/// The other expressions of that RFC are errors here; the `URITemplate` of FaradayHAL has them all.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The template as it was written.
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.text = text }

  /// The path with these values in the places of its variables. Each variable must have a value, and each value a variable.
  ///
  /// - Parameter defaults: values for variables that have none in `values`; those that no variable asks for are not used.
  public func path(
    _ values: [String: any ParameterValue] = [:], defaults: [String: any ParameterValue] = [:]
  ) throws(PathTemplateError) -> String {
    // Byte by byte, as servers do: with an accent behind it, a sign is another `Character`.
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
      // These would go up or stay where they are, also percent-encoded (RFC 3986, section 6.2.2.3); in a query they are text.
      guard !path.contains(where: { $0 != Self.slash && Self.endsSegment($0) }) else { continue }
      let start = path.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
      let segment = QueryParameters.decode(
        String(decoding: path[start...] + rest.prefix { !Self.endsSegment($0) }, as: UTF8.self))
      guard segment != ".", segment != ".." else { throw fail(.dotSegment(name)) }
    }
    // The first by name, so that the error is the same each time.
    if let name = unused.min() { throw fail(.unknown(name)) }
    return String(decoding: path + rest, as: UTF8.self)
  }

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

/// A path that could not be made. Its description is one line of at most a few kibibytes, in which the usual secrets are marked.
public struct PathTemplateError: FaradayError, Equatable, CustomReflectable {
  public enum Reason: Sendable, Hashable {
    /// The variable of that name has no value.
    case missing(String)
    /// The value of that name has no variable.
    case unknown(String)
    /// The value of that name is empty.
    case empty(String)
    /// With the value of that name its segment is `.` or `..`, which is a place and no name.
    case dotSegment(String)
    /// `{` without `}`.
    case unclosed
    /// What stands between the braces is no name.
    case invalidName(String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The template as it was written, whatever is in it: not for logs.
  public let template: String

  package init(reason: Reason, template: String) {
    self.reason = reason
    self.template = template
  }

  public var description: String {
    let template = Secrets().redacting(urlText: template).bounded().escapingControls()
    return switch reason {
    case .missing(let name): "the path \(template) has no value for {\(name.bounded())}"
    case .unknown(let name): "the path \(template) has no variable {\(name.bounded().escapingControls())}"
    case .empty(let name): "the value for {\(name.bounded())} in the path \(template) is empty"
    case .dotSegment(let name): "the value for {\(name.bounded())} in the path \(template) makes a dot segment"
    case .unclosed: "the path \(template) has a { without }"
    // It may be anything, also JSON: it is not shown, nor what follows.
    case .invalidName: "the path \(template.prefix { $0 != "{" })… has braces around what is no name of a variable"
    }
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
