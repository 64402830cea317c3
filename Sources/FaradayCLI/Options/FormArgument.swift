import Faraday

/// The argument of one `-F` or `--form-string`, as curl reads it: `name=content`, `name=@file,file2`, `name=<file`, each with
/// `;type=`, `;filename=`, `;headers=` and `;encoder=`; `name=(` begins a nested multipart, `=)` ends it.
struct FormArgument: Equatable {
  /// A part as it is described.
  struct Part: Equatable {
    enum Content: Equatable {
      case text(String)
      /// The file's contents; with its name, unless only the contents are meant.
      case file(String, isNamed: Bool)
    }

    var content: Content
    var type: String?
    var filename: String?
    var encoder: String?
    var headers: [String] = []
  }

  enum Kind: Equatable {
    case part(Part)
    /// Several files under one name.
    case files([Part])
    case beginsMultipart(type: String?, headers: [String])
    case endsMultipart
  }

  /// Empty if there is none.
  let name: String
  let kind: Kind
  /// What curl warns of and goes on.
  let warnings: [String]

  /// Parses the argument; `isLiteral` for `--form-string`, where nothing but the first `=` has a meaning.
  init(_ text: String, isLiteral: Bool = false) throws {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw UsageFailure("option -F: a form field must be 'name=content'")
    }
    name = String(text[..<sign])
    let content = text.utf8[text.utf8.index(after: sign)...]
    guard !isLiteral else {
      kind = .part(Part(content: .text(String(Substring(content)))))
      warnings = []
      return
    }
    var words = FormWords(content)
    switch content.first {
    case UInt8(ascii: "("):
      let part = try words.part(endingAt: nil)
      kind = .beginsMultipart(type: part.type, headers: part.headers)
    case UInt8(ascii: ")") where name.isEmpty && content.count == 1:
      kind = .endsMultipart
    case UInt8(ascii: "@"):
      var files: [Part] = []
      repeat {
        words.skipByte()
        var part = try words.part(endingAt: UInt8(ascii: ","))
        if case .text(let path) = part.content { part.content = .file(path, isNamed: true) }
        files.append(part)
      } while !words.isAtEnd
      kind = files.count == 1 ? .part(files[0]) : .files(files)
    case UInt8(ascii: "<"):
      words.skipByte()
      var part = try words.part(endingAt: nil)
      if case .text(let path) = part.content { part.content = .file(path, isNamed: false) }
      if part.filename != nil {
        part.filename = nil
        words.warn("Field file name not allowed here")
      }
      kind = .part(part)
    default:
      kind = .part(try words.part(endingAt: nil))
    }
    warnings = words.warnings
  }
}

/// Reads the words of a `-F` argument.
struct FormWords {
  private var rest: ArraySlice<UInt8>
  private(set) var warnings: [String] = []

  init(_ text: some Collection<UInt8>) { rest = Array(text)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skipByte() { rest = rest.dropFirst() }

  mutating func warn(_ text: String) { warnings.append(text) }

  /// The content and its attributes, up to the end or to that byte, which is left.
  mutating func part(endingAt end: UInt8?) throws -> FormArgument.Part {
    skipBlanks()
    var part = FormArgument.Part(content: .text(word(endingAt: end)))
    while rest.first == UInt8(ascii: ";") {
      skipByte()
      skipBlanks()
      if skip("type=") {
        skipBlanks()
        part.type = try type(endingAt: end)
      } else if skip("filename=") {
        skipBlanks()
        part.filename = word(endingAt: end)
      } else if skip("encoder=") {
        skipBlanks()
        part.encoder = word(endingAt: end)
      } else if skip("headers=") {
        let isFile = rest.first == UInt8(ascii: "@") || rest.first == UInt8(ascii: "<")
        if isFile { skipByte() }
        skipBlanks()
        let word = word(endingAt: end)
        part.headers += isFile ? try Self.headers(in: word) : [word]
      } else {
        let unknown = word(endingAt: end)
        if !unknown.isEmpty { warn("skip unknown form field: \(unknown)") }
      }
    }
    return part
  }

  private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

  private mutating func skip(_ prefix: String) -> Bool {
    guard rest.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: { $0.asciiLowercased == $1 }) else { return false }
    rest = rest.dropFirst(prefix.utf8.count)
    return true
  }

  /// A media type. Its own parameters belong to it, so it goes on behind a semicolon unless one of ours follows.
  private mutating func type(endingAt end: UInt8?) throws -> String {
    let start = rest
    let major = rest.prefix { $0 != UInt8(ascii: "/") && $0 != 0x20 }
    let minor = rest.dropFirst(major.count + 1).prefix { !"; \n,".utf8.contains($0) }
    guard !major.isEmpty, rest.dropFirst(major.count).first == UInt8(ascii: "/"), !minor.isEmpty else {
      throw UsageFailure("option -F: the type must be like text/plain")
    }
    rest = rest.dropFirst(major.count + 1 + minor.count)
    while true {
      rest = rest.drop { $0 != UInt8(ascii: ";") && $0 != end }
      guard rest.first == UInt8(ascii: ";") else { break }
      let next = FormWords(rest.dropFirst().drop(while: Self.isBlank))
      let isOwn = ["filename=", "headers=", "encoder="].contains { name in
        var next = next
        return next.skip(name)
      }
      if isOwn { break }
      skipByte()
    }
    return Self.text(start[..<rest.startIndex])
  }

  /// A word up to a semicolon or the end; in quotes, with `\"` and `\\`, also with semicolons.
  private mutating func word(endingAt end: UInt8?) -> String {
    if rest.first == UInt8(ascii: "\""), let quoted = quotedWord() {
      let trailing = rest.prefix { $0 != UInt8(ascii: ";") && $0 != end }
      if !trailing.allSatisfy(Self.isBlank) { warn("Trailing data after quoted form parameter") }
      rest = rest.dropFirst(trailing.count)
      return quoted
    }
    let word = rest.prefix { $0 != UInt8(ascii: ";") && $0 != end }
    rest = rest.dropFirst(word.count)
    return Self.text(word)
  }

  /// Nil if the closing quote is missing: then it is no quote.
  private mutating func quotedWord() -> String? {
    var word: [UInt8] = []
    var left = rest.dropFirst()
    while let byte = left.popFirst() {
      if byte == UInt8(ascii: "\"") {
        rest = left
        return String(decoding: word, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), let next = left.first, "\\\"".utf8.contains(next) {
        left = left.dropFirst()
        word.append(next)
      } else {
        word.append(byte)
      }
    }
    return nil
  }

  /// The fields of a file, one a line; a line that begins with a blank continues the one before, `#` begins a comment.
  private static func headers(in path: String) throws -> [String] {
    var headers: [String] = []
    for line in try InputFile(name: path).contents().split(separator: 0x0A) where line.first != UInt8(ascii: "#") {
      let text = Self.text(line.filter { $0 != 0x0D }[...])
      if let first = line.first, isBlank(first), let last = headers.popLast() {
        headers.append(last + text)
      } else if !text.isEmpty {
        headers.append(text)
      }
    }
    return headers
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Without blanks at the end.
  private static func text(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    let kept = bytes.reversed().drop(while: isBlank).reversed()
    return String(decoding: Array(kept), as: UTF8.self)
  }
}
