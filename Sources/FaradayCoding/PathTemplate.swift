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
    var path = ""
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      path += rest[..<open.lowerBound]
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else { throw fail(.unclosed) }
      let name = rest[open.upperBound..<close.lowerBound].trimming()
      guard !name.isEmpty else { throw fail(.unnamed) }
      guard let variable = variables[name] else { throw fail(.missing(name)) }
      let value = variable.description
      guard !value.isEmpty else { throw fail(.empty(name)) }
      path += Query.encode(value)
      rest = rest[close.upperBound...]
      // These would go up or stay where they are, also percent-encoded (RFC 3986, section 6.2.2.3); in a query they are text.
      guard !path.contains(where: { "?#".contains($0) }) else { continue }
      let segment =
        path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...] + rest.prefix { !"/?#".contains($0) }
      guard segment != ".", segment != ".." else { throw fail(.dotSegment(name)) }
    }
    return path + rest
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
