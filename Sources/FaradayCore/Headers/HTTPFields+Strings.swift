/// Header fields with string names and values, validated, for untrusted input. The setters of `HTTPFields` replace a line break
/// in a value with a space. These methods throw ``InvalidValueError`` instead.
extension HTTPFields {
  /// Header fields in order, including repeated names: `try HTTPFields(checking: ["X-Trace": id])`. Throws
  /// ``InvalidValueError``.
  public init(checking fields: KeyValuePairs<String, String>) throws {
    self.init()
    for (name, value) in fields { try append(name: name, value: value) }
  }

  /// The value of the field with the case-insensitive name: `response.headers["X-RateLimit-Remaining"]`. The values of repeated
  /// fields are joined by commas. Nil if there is no such field, or if the string is not a field name. Use ``set(name:value:)``
  /// to write.
  public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

  /// Sets the field, replacing all fields with the name. Throws ``FaradayCore/InvalidValueError``.
  public mutating func set(name: String, value: String) throws {
    let field = try HTTPField(checking: name, value)
    self[fields: field.name] = [field]
  }

  /// Appends a field, keeping fields with the same name. Throws ``InvalidValueError``, also for the 65,535th field, which is
  /// over the limit of `HTTPFields`.
  public mutating func append(name: String, value: String) throws {
    guard count < 65_534 else { throw InvalidValueError(.header, name.bounded(), "there are 65,534 fields already") }
    append(try HTTPField(checking: name, value))
  }
}

extension HTTPFields {
  /// Sets these fields, replacing all fields with the same names.
  package mutating func override(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = [] }
    for field in fields { append(field) }
  }
}

extension HTTPFields {
  /// Whether there is a field with the name. The default ``Connection/standardUserAgent`` does not count, because any other
  /// value replaces it.
  package func hasOwn(_ name: HTTPField.Name) -> Bool {
    contains(name) && (name != .userAgent || self[.userAgent] != Connection.standardUserAgent)
  }
}

extension HTTPField {
  /// A field whose name is a token and whose value has no CR, LF or NUL (RFC 9110, section 5.5). Throws ``InvalidValueError``.
  public init(checking name: String, _ value: String) throws {
    guard let token = HTTPField.Name(name) else {
      throw InvalidValueError(.header, Self.shown(name), "the name is not a token (RFC 9110, section 5.6.2)")
    }
    guard !value.utf8.contains(where: \.endsLine) else {
      throw InvalidValueError(.header, name.bounded(), "the value contains CR, LF or NUL")
    }
    self.init(name: token, lenientValue: Array(value.utf8))
  }

  /// Hides the text after a colon: the caller may have passed a whole header line, with its value, as the name.
  private static func shown(_ name: String) -> String {
    let line = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    return line.count == name.utf8.count
      ? name.debugDescription.bounded() : String(line).map { ($0 + "…").debugDescription.bounded() } ?? ""
  }
}

extension HTTPField {
  /// Whether the field can be sent: the value contains no CR, LF or NUL (header injection), and the name is not a pseudo-header
  /// name. `HTTPField` should not contain these characters, but this property checks it.
  package var isSendable: Bool {
    !withUnsafeBytesOfValue { $0.contains(where: \.endsLine) } && !name.rawName.hasPrefix(":")
  }

  /// The reason why a field is not ``isSendable``, with its name.
  package var unsendableReason: String { "\(name) contains CR, LF or NUL, or is a pseudo-header field" }
}
