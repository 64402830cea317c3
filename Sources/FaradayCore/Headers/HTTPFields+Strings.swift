/// A header name or value that may not be sent: it would end the line it stands on, or is no token.
public struct InvalidHeader: FaradayError, Equatable {
  /// The name as given, with control characters escaped; at most a kibibyte of it.
  public let name: String
  /// What is wrong with it. The value is not in it: it may be a secret.
  public let reason: String

  public var description: String { "header \(name): \(reason)" }
}

/// Fields by names and values that are strings, which may come from outside the program. The setters of `HTTPFields` itself turn a
/// line break in a value into a space; these refuse it.
extension HTTPFields {
  /// These fields, in order, repeated names kept: `try HTTPFields(checking: ["X-Trace": id])`. Throws ``InvalidHeader``.
  public init(checking fields: KeyValuePairs<String, String>) throws {
    self.init()
    for (name, value) in fields { try add(name, value) }
  }

  /// The value of the field of that name, ASCII case-insensitively; those of repeated fields joined by commas. Nil if there is none,
  /// or the string is no name of a field: `response.headers["X-RateLimit-Remaining"]`. Written by ``set(_:_:)``.
  public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

  /// Replaces every field of that name. Throws ``InvalidHeader``.
  public mutating func set(_ name: String, _ value: String) throws {
    let field = try HTTPField(checking: name, value)
    self[fields: field.name] = [field]
  }

  /// Adds a field after those of the same name. Throws ``InvalidHeader``, also for the 65,535th field: `HTTPFields` holds no more.
  public mutating func add(_ name: String, _ value: String) throws {
    guard count < 65_534 else { throw InvalidHeader(name: name.bounded(), reason: "there are 65,534 fields already") }
    append(try HTTPField(checking: name, value))
  }
}

extension HTTPFields {
  /// Puts these fields in the place of all of their names.
  package mutating func override(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = [] }
    for field in fields { append(field) }
  }
}

extension HTTPField {
  /// A field whose name is a token and whose value has no CR, LF or NUL (RFC 9110, section 5.5). Throws ``InvalidHeader``.
  public init(checking name: String, _ value: String) throws {
    guard let token = HTTPField.Name(name) else {
      throw InvalidHeader(name: Self.shown(name), reason: "the name is not a token (RFC 9110, section 5.6.2)")
    }
    guard !value.utf8.contains(where: \.endsLine) else {
      throw InvalidHeader(name: name.bounded(), reason: "the value contains CR, LF or NUL")
    }
    self.init(name: token, lenientValue: Array(value.utf8))
  }

  /// Who gives a whole line for a name gives its value too: what stands behind a colon is not shown.
  private static func shown(_ name: String) -> String {
    let line = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    return line.count == name.utf8.count
      ? name.debugDescription.bounded() : String(line).map { ($0 + "…").debugDescription.bounded() } ?? ""
  }
}
