import Faraday

/// The argument of one `-H`: a header field to send, or a default to remove.
enum HeaderArgument: Equatable {
  case field(name: String, value: String)
  case without(name: String)

  /// Parses `Name: value`, `Name;` (sent empty) or `Name:` (removes a default).
  init(_ text: String) throws {
    if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(text[..<colon])
      let value = text[text.index(after: colon)...].trimming()
      self = value.isEmpty ? .without(name: name) : .field(name: name, value: value)
    } else if let name = Self.named(beforeSemicolon: text) {
      self = .field(name: name, value: "")
    } else {
      // It is not shown: it may be a credential without its colon, or a line of a file that nobody is to see.
      throw CommandFailure.usage("-H: a header must be 'Name: value', 'Name;' or 'Name:'")
    }
  }

  private static func named(beforeSemicolon text: String) -> String? {
    let text = text.trimming()
    return text.hasSuffix(";") ? text.dropLast().trimming() : nil
  }

  /// The arguments of all `-H`; `@file` reads one from each line of a file.
  static func all(_ texts: [String]) throws -> [HeaderArgument] {
    // `-H "$VARIABLE"` of an empty variable sends nothing.
    try texts.filter { !$0.isEmpty }.flatMap { text -> [HeaderArgument] in
      guard text.hasPrefix("@") else { return [try HeaderArgument(text)] }
      let lines = try InputFile(name: String(text.dropFirst())).contents().split(separator: 0x0A)
      let texts = lines.map { String(decoding: $0.last == 0x0D ? $0.dropLast() : $0, as: UTF8.self) }
      return try texts.filter { !$0.isEmpty }.map { try HeaderArgument($0) }
    }
  }
}

extension [HeaderArgument] {
  /// Whether one of them has this name, whatever the letters' case.
  func has(_ name: String) -> Bool {
    contains { argument in
      switch argument {
      case .field(let other, _), .without(let other): other.lowercased() == name.lowercased()
      }
    }
  }

  /// The value of the first field with this name.
  func value(of name: String) -> String? {
    for case .field(let other, let value) in self where other.lowercased() == name.lowercased() { return value }
    return nil
  }
}

extension HTTPFields {
  /// These fields as defaults, overridden by the arguments, which come behind them; then those that describe the body, unless the
  /// arguments have them.
  func overridden(by arguments: [HeaderArgument], then last: HTTPFields = [:]) throws -> HTTPFields {
    var (fields, last) = (self, last)
    for argument in arguments {
      let name =
        switch argument {
        case .field(let name, let value): try HTTPField(checking: name, value).name
        case .without(let name): try HTTPField(checking: name, "").name
        }
      fields[fields: name] = []
      last[fields: name] = []
    }
    for case .field(let name, let value) in arguments { try fields.add(name, value) }
    for field in last { fields.append(field) }
    return fields
  }
}
