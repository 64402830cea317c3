/// A header field that must not be sent: its name is not a token, or its value contains CR, LF or NUL (header injection).
public struct InvalidHeader: FaradayError, Equatable {
  /// The name as given, with control characters escaped; cut off after 1 KiB.
  public let name: String
  /// What is wrong, without the value, which may be a secret.
  public let reason: String

  public var description: String { "header \(name): \(reason)" }
}

/// Header fields by string names and values, checked: for input from outside the program. The setters of `HTTPFields` itself
/// replace a line break in a value with a space; these throw ``InvalidHeader``.
extension HTTPFields {
  /// Header fields in order, repeated names kept: `try HTTPFields(checking: ["X-Trace": id])`. Throws ``InvalidHeader``.
  public init(checking fields: KeyValuePairs<String, String>) throws {
    self.init()
    for (name, value) in fields { try add(name, value) }
  }

  /// The value of the field with that name, case-insensitive: `response.headers["X-RateLimit-Remaining"]`. The values of repeated
  /// fields are joined by commas. Nil if there is none, or if the string is not a field name. Use ``set(_:_:)`` to write.
  public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

  /// Sets the field, replacing all of that name. Throws ``InvalidHeader``.
  public mutating func set(_ name: String, _ value: String) throws {
    let field = try HTTPField(checking: name, value)
    self[fields: field.name] = [field]
  }

  /// Appends a field, keeping those of the same name. Throws ``InvalidHeader``, also for the 65,535th field: `HTTPFields` holds no
  /// more.
  public mutating func add(_ name: String, _ value: String) throws {
    guard count < 65_534 else { throw InvalidHeader(name: name.bounded(), reason: "there are 65,534 fields already") }
    append(try HTTPField(checking: name, value))
  }
}

extension HTTPFields {
  /// Sets these fields, replacing all of the same names.
  package mutating func override(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = [] }
    for field in fields { append(field) }
  }
}

extension HTTPFields {
  /// Whether there is a field of that name other than ``Connection/standardUserAgent``, which gives way to any.
  package func hasOwn(_ name: HTTPField.Name) -> Bool {
    contains(name) && (name != .userAgent || self[.userAgent] != Connection.standardUserAgent)
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

  /// A caller who passes a whole header line as the name passes its value too: nothing behind a colon is shown.
  private static func shown(_ name: String) -> String {
    let line = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    return line.count == name.utf8.count
      ? name.debugDescription.bounded() : String(line).map { ($0 + "…").debugDescription.bounded() } ?? ""
  }
}

extension HTTPField {
  /// Whether it can be sent: the value has no CR, LF or NUL, against header injection, and the name is none of a pseudo-header field.
  /// `HTTPField` should hold no such value; it is checked all the same.
  package var isSendable: Bool {
    !withUnsafeBytesOfValue { $0.contains(where: \.endsLine) } && !name.rawName.hasPrefix(":")
  }

  /// What is wrong with one that is not ``isSendable``, with its name.
  package var unsendableReason: String { "\(name) contains CR, LF or NUL, or is a pseudo-header field" }
}
