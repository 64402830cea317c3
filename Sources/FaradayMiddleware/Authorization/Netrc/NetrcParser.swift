internal import FaradayCore

/// Parses the format of `.netrc` as curl does. Words are separated by whitespace. The keywords `machine`, `default`, `login`,
/// `password`, `account` and `macdef` are case-insensitive. A `#` in place of a keyword begins a comment; a value may begin
/// with `#`, but curl 7.88 would then use the machine of the next line as the value. A quoted word can contain spaces and the
/// escapes `\n`, `\r`, `\t`, `\"` and `\\`. Unknown words are skipped. A macro ends at an empty line.
struct NetrcParser {
  /// The maximum size of a file, in bytes.
  static let maximumSize = 1 << 20
  /// The maximum length of a word, in bytes: curl reads lines of 4,095.
  static let maximumWord = 4095

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ data: Data) throws(NetrcError) {
    guard data.count <= Self.maximumSize else {
      throw NetrcError(path: "", line: nil, reason: "it has more than \(Self.maximumSize) bytes")
    }
    bytes = Array(data)
    guard !bytes.contains(0) else { throw NetrcError(path: "", line: nil, reason: "it contains a NUL character") }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw NetrcError(path: "", line: nil, reason: "it is not UTF-8")
    }
  }

  mutating func entries() throws(NetrcError) -> [Netrc.Entry] {
    var entries: [Netrc.Entry] = []
    while let keyword = try word() {
      switch keyword.lowercased() {
      case "machine": entries.append(Netrc.Entry(machine: try value(of: "machine")))
      case "default": entries.append(Netrc.Entry())
      case "macdef":
        _ = try value(of: "macdef")
        skipMacro()
      // Before the first machine these words belong to no entry.
      case "login": set(\.login, try value(of: "login"), in: &entries)
      case "password": set(\.password, try value(of: "password"), in: &entries)
      case "account": set(\.account, try value(of: "account"), in: &entries)
      default: continue
      }
    }
    return entries
  }

  private func set(_ part: WritableKeyPath<Netrc.Entry, String?>, _ value: String, in entries: inout [Netrc.Entry]) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1][keyPath: part] = value
  }

  private mutating func value(of keyword: String) throws(NetrcError) -> String {
    guard let value = try word(isValue: true) else { throw failure("`\(keyword)` has no value") }
    return value
  }

  /// Returns the next word; nil at the end.
  private mutating func word(isValue: Bool = false) throws(NetrcError) -> String? {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "#") where !isValue: skipLine()
      // The value is missing: the text of the comment is not the value.
      case UInt8(ascii: "#") where bytes[(index + 1)...].first.map(Self.isSpace) ?? true: return nil
      case UInt8(ascii: "\""): return try quoted()
      case let byte where Self.isSpace(byte): step()
      default:
        let word = bytes[index...].prefix { !Self.isSpace($0) }
        index += word.count
        return try checked(word)
      }
    }
    return nil
  }

  private mutating func quoted() throws(NetrcError) -> String {
    index += 1
    var word: [UInt8] = []
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return try checked(word) }
      if byte == UInt8(ascii: "\\") {
        guard index < bytes.count, bytes[index] != UInt8(ascii: "\n") else { break }
        byte = Self.escapes[bytes[index]] ?? bytes[index]
        index += 1
      }
      word.append(byte)
    }
    throw failure("a quote is not closed on its line")
  }

  private func checked(_ word: some Collection<UInt8>) throws(NetrcError) -> String {
    guard word.count <= Self.maximumWord else { throw failure("a word has more than \(Self.maximumWord) bytes") }
    return String(decoding: word, as: UTF8.self)
  }

  private mutating func skipMacro() {
    skipLine()
    while index < bytes.count {
      let isEmpty = bytes[index] == UInt8(ascii: "\n") || bytes[index...].starts(with: "\r\n".utf8)
      skipLine()
      if isEmpty { return }
    }
  }

  private mutating func skipLine() {
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    if index < bytes.count { step() }
  }

  private mutating func step() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  private func failure(_ reason: String) -> NetrcError { NetrcError(path: "", line: line, reason: reason) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  private static let escapes = [
    UInt8(ascii: "n"): UInt8(ascii: "\n"), UInt8(ascii: "r"): UInt8(ascii: "\r"), UInt8(ascii: "t"): UInt8(ascii: "\t"),
  ]
}
