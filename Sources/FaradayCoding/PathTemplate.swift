internal import FaradayCore

/// A path with places for values: `/users/{{id}}/posts`.
///
///     try PathTemplate("/users/{{id}}").path(["id": 42])      // /users/42
///
/// A value is percent-encoded and stays within its segment, whatever is in it.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.text = text }

  /// The path with these values in their places. A value whose name is in no place is not used.
  public func path(_ variables: [String: any Sendable & CustomStringConvertible] = [:]) throws(PathTemplateError) -> String {
    // Byte by byte, as servers do: with an accent behind it, a sign is another `Character`.
    var path: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let open = rest.firstRange(of: Array("{{".utf8)) {
      path += rest[..<open.lowerBound]
      guard let close = rest[open.upperBound...].firstRange(of: Array("}}".utf8)) else { throw fail(.unclosed) }
      let name = String(decoding: rest[open.upperBound..<close.lowerBound], as: UTF8.self).trimming()
      guard !name.isEmpty else { throw fail(.unnamed) }
      guard let variable = variables[name] else { throw fail(.missing(name)) }
      let value = variable.description
      guard !value.isEmpty else { throw fail(.empty(name)) }
      path += Query.encode(value).utf8
      rest = rest[close.upperBound...]
      // These would go up or stay where they are, also percent-encoded (RFC 3986, section 6.2.2.3); in a query they are text.
      guard !path.contains(where: { $0 != Self.slash && Self.endsSegment($0) }) else { continue }
      let start = path.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
      let segment = Query.decode(String(decoding: path[start...] + rest.prefix { !Self.endsSegment($0) }, as: UTF8.self))
      guard segment != ".", segment != ".." else { throw fail(.dotSegment(name)) }
    }
    return String(decoding: path + rest, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")

  private static func endsSegment(_ byte: UInt8) -> Bool {
    byte == slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private func fail(_ reason: PathTemplateError.Reason) -> PathTemplateError {
    PathTemplateError(reason: reason, template: text)
  }
}

/// A path that could not be made.
public struct PathTemplateError: Error, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    /// There is no value of that name.
    case missing(String)
    /// The value of that name is empty.
    case empty(String)
    /// With the value of that name its segment is `.` or `..`, which is a place and no name.
    case dotSegment(String)
    /// `{{` without `}}`.
    case unclosed
    /// `{{}}`
    case unnamed
  }

  public let reason: Reason
  public let template: String

  package init(reason: Reason, template: String) {
    self.reason = reason
    self.template = template
  }

  public var description: String {
    switch reason {
    case .missing(let name): "the path \(template) has no value for \(name)"
    case .empty(let name): "the value for \(name) in the path \(template) is empty"
    case .dotSegment(let name): "the value for \(name) in the path \(template) makes a dot segment"
    case .unclosed: "the path \(template) has a {{ without }}"
    case .unnamed: "the path \(template) has a place without a name"
    }
  }
}
