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
    try texts.flatMap { text -> [HeaderArgument] in
      guard text.hasPrefix("@") else { return [try HeaderArgument(text)] }
      let lines = try InputFile(name: String(text.dropFirst())).contents().split(separator: 0x0A)
      let texts = lines.map { String(decoding: $0.last == 0x0D ? $0.dropLast() : $0, as: UTF8.self) }
      return try texts.filter { !$0.isEmpty }.map { try HeaderArgument($0) }
    }
  }
}

extension HTTPFields {
  /// These fields as defaults, overridden by the arguments.
  func overridden(by arguments: [HeaderArgument]) throws -> HTTPFields {
    var fields = self
    for argument in arguments {
      switch argument {
      case .field(let name, let value):
        fields[fields: try HTTPField(checking: name, value).name] = []
      case .without(let name):
        fields[fields: try HTTPField(checking: name, "").name] = []
      }
    }
    for case .field(let name, let value) in arguments { try fields.add(name, value) }
    return fields
  }
}
