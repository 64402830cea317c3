import Faraday

/// The argument of one `-d`, `--data-binary`, `--data-raw`, `--data-urlencode`, `--json` or `--url-query`.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable {
    /// `@file` is read and its line breaks are removed.
    case ascii
    /// `@file` is read unchanged.
    case binary
    /// `@` has no special meaning.
    case raw
    /// Percent-encoded: `text`, `=text`, `name=text`, `@file` or `name@file`.
    case encoded
    /// The bytes after a `+`, unchanged.
    case afterPlus
    /// As `binary`, and joined to the previous argument without `&`.
    case json
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  func bytes() throws -> Data {
    if kind == .encoded { return try encodedBytes() }
    if kind == .afterPlus { return Data(ArgumentBytes.of(text).dropFirst()) }
    guard kind != .raw, text.hasPrefix("@") else { return Data(ArgumentBytes.of(text)) }
    let contents = try InputFile(name: String(text.dropFirst())).contents()
    return kind == .ascii ? contents.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 } : contents
  }

  private func encodedBytes() throws -> Data {
    let bytes = Data(ArgumentBytes.of(text))
    let mark = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.firstIndex(of: UInt8(ascii: "@"))
    guard let mark else { return Self.encoded(bytes) }
    var content = bytes[(mark + 1)...]
    if bytes[mark] == UInt8(ascii: "@") {
      content = try InputFile(name: String(decoding: content, as: UTF8.self)).contents()[...]
    }
    let name = bytes[..<mark]
    return (name.isEmpty ? Data() : name + Data("=".utf8)) + Self.encoded(content)
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986; a space is `+`, as in curl.
  private static func encoded(_ bytes: Data) -> Data {
    var encoded = Data(capacity: bytes.count)
    for byte in bytes { encoded.append(contentsOf: escapes[Int(byte)]) }
    return encoded
  }

  /// The encoded form of each byte.
  private static let escapes: [[UInt8]] = (UInt8.min ... .max).map { byte in
    if byte == 0x20 { return [UInt8(ascii: "+")] }
    let isUnreserved = byte.isDigit || (byte | 0x20) &- 0x61 < 26 || "-._~".utf8.contains(byte)
    return isUnreserved ? [byte] : QueryParameters.escape(byte)
  }

  /// All arguments joined with `&`.
  static func joined(_ arguments: [DataArgument]) throws -> Data {
    var body = Data()
    for (index, argument) in arguments.enumerated() {
      if index > 0, argument.kind != .json { body.append(UInt8(ascii: "&")) }
      body.append(try argument.bytes())
    }
    return body
  }
}

/// The argument of one `-H`: a header field to send, or a default to remove.
struct HeaderArgument: Equatable, Sendable {
  let name: String
  /// Nil removes the default.
  let value: String?
}

extension HeaderArgument {
  /// Parses `Name: value`, `Name;` (sent empty) or `Name:` (removes a default).
  init(_ text: String, of option: String = "-H") throws {
    if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let value = text[text.index(after: colon)...].trimming()
      self.init(name: String(text[..<colon]), value: value.isEmpty ? nil : value)
    } else if case let name = text.trimming(), name.hasSuffix(";") {
      self.init(name: name.dropLast().trimming(), value: "")
    } else {
      // The argument is not shown: it may be a credential without its colon, or a line of a private file.
      throw CommandFailure.usage("\(option): a header must be 'Name: value', 'Name;' or 'Name:'")
    }
  }

  /// The arguments of all `-H`; `@file` reads one from each line of a file.
  static func all(_ texts: [String], of option: String = "-H") throws -> [HeaderArgument] {
    // `-H "$VARIABLE"` of an empty variable sends nothing.
    try texts.filter { !$0.isEmpty }.flatMap { text -> [HeaderArgument] in
      guard text.hasPrefix("@") else { return [try HeaderArgument(text, of: option)] }
      let lines = try InputFile(name: String(text.dropFirst())).contents().split(separator: 0x0A)
      let texts = try lines.map { line in
        let line = line.last == 0x0D ? line.dropLast() : line
        guard let text = String(validating: line, as: UTF8.self) else {
          throw CommandFailure.usage("\(option): a line of the file is not UTF-8")
        }
        return text
      }
      return try texts.filter { !$0.isEmpty }.map { try HeaderArgument($0, of: option) }
    }
  }
}

extension [HeaderArgument] {
  /// Whether an argument has this case-insensitive name.
  func has(_ name: String) -> Bool { contains { $0.name.lowercased() == name.lowercased() } }

  /// The value of the first field with this name.
  func value(of name: String) -> String? { first { $0.value != nil && $0.name.lowercased() == name.lowercased() }?.value }
}

extension HTTPFields {
  /// Returns these fields as defaults, overridden by the arguments, which follow them. The fields that describe the body come
  /// last, unless the arguments replace them.
  func overridden(by arguments: [HeaderArgument], then last: HTTPFields = [:]) throws -> HTTPFields {
    var (fields, last) = (self, last)
    for argument in arguments {
      let name = try HTTPField(checking: argument.name, "").name
      fields[fields: name] = []
      last[fields: name] = []
    }
    for argument in arguments { if let value = argument.value { try fields.append(name: argument.name, value: value) } }
    for field in last { fields.append(field) }
    return fields
  }
}

/// A user and password.
struct Login: Sendable, Equatable {
  let user: String
  let password: String

  init(user: String, password: String) { (self.user, self.password) = (user, password) }

  /// Parses `user:password`. The first colon separates them.
  init(_ text: String) {
    let user = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    self.user = String(decoding: user, as: UTF8.self)
    password = String(decoding: text.utf8.dropFirst(user.count + 1), as: UTF8.self)
  }

  /// Returns `user:password`. Prompts for a missing password on the terminal.
  static func completing(_ user: String, for what: String) throws -> String {
    guard !user.contains(":"), !user.hasPrefix(";") else { return user }
    guard let typed = getpass("Enter \(what) password for user '\(user)':") else {
      throw CommandFailure.usage("-u requires user:password where there is no terminal")
    }
    return "\(user):\(String(cString: typed))"
  }
}
