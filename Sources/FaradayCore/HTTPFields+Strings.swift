/// A header name or value that may not be sent: it would end the line it stands on, or is no token.
public struct InvalidHeader: Error, Equatable, CustomStringConvertible {
  /// The name as given, with control characters escaped; at most a kibibyte of it.
  public let name: String
  /// What is wrong with it. The value is not in it: it may be a secret.
  public let reason: String

  public var description: String { "header \(name): \(reason)" }
}

/// Fields by name and value from outside the program. The subscripts of `HTTPFields` turn a line break in a value into a
/// space; these refuse it.
extension HTTPFields {
  /// Replaces every field of that name. Throws ``InvalidHeader``.
  public mutating func set(_ name: String, _ value: String) throws {
    let field = try HTTPField(checking: name, value)
    self[fields: field.name] = [field]
  }

  /// Adds a field after those of the same name. Throws ``InvalidHeader``.
  public mutating func add(_ name: String, _ value: String) throws {
    append(try HTTPField(checking: name, value))
  }
}

extension HTTPField {
  /// A field whose name is a token and whose value has no CR, LF or NUL (RFC 9110, section 5.5). Throws ``InvalidHeader``.
  public init(checking name: String, _ value: String) throws {
    guard let token = HTTPField.Name(name) else {
      throw InvalidHeader(name: name.debugDescription.bounded(), reason: "the name is not a token (RFC 9110, section 5.6.2)")
    }
    guard !value.utf8.contains(where: \.endsLine) else {
      throw InvalidHeader(name: name.bounded(), reason: "the value contains CR, LF or NUL")
    }
    self.init(name: token, lenientValue: Array(value.utf8))
  }
}
