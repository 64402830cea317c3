import Faraday

/// The argument of one `-F` or `--form-string`: `name=content`, `name=@file` or `name=<file`, each with optional `;type=` and
/// `;filename=`.
struct FormArgument: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case text(String)
    /// The contents of a file, with its name if `isNamed`.
    case file(String, isNamed: Bool)
    /// The bytes of standard input, with its name if `isNamed`.
    case input(Data, isNamed: Bool)
  }

  /// The name of the field; empty without a name.
  let name: String
  private(set) var content: Content
  private(set) var type: String?
  private(set) var filename: String?
  /// The warnings that curl gives without failing.
  private(set) var warnings: [String] = []

  /// Parses the argument. In a literal argument, for `--form-string`, only the first `=` is special.
  init(_ text: String, isLiteral: Bool = false) throws {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw UsageFailure("option -F: a form field must be 'name=content'")
    }
    name = String(text[..<sign])
    var rest = text[text.utf8.index(after: sign)...]
    content = .text(String(rest))
    guard !isLiteral else { return }
    let kind = rest.utf8.first
    if kind == UInt8(ascii: "(") || rest == ")" { throw Self.unsupported("nested multiparts") }
    let isFile = kind == UInt8(ascii: "@")
    if isFile || kind == UInt8(ascii: "<") {
      rest.removeFirst()
      let unquoted = rest.replacing(#/"(?:\\["\\]|[^"])*"/#, with: "")
      if isFile, unquoted.contains(",") { throw Self.unsupported("several files; use one -F for each, or quotes") }
      content = .file(word(&rest), isNamed: isFile)
    } else {
      content = .text(word(&rest))
    }
    while rest.first == ";" {
      rest.removeFirst()
      try readAttribute(&rest)
    }
    if filename != nil, kind == UInt8(ascii: "<") {
      filename = nil
      warnings.append("Field file name not allowed here")
    }
  }

  /// Reads standard input, if it is the content: it can be read once, and a form may be sent several times.
  func readingInput() throws -> FormArgument {
    guard case .file("-", let isNamed) = content else { return self }
    var argument = self
    argument.content = .input(try InputFile(name: "-").contents(), isNamed: isNamed)
    return argument
  }

  private static func unsupported(_ what: String) -> UsageFailure { UsageFailure("option -F: not supported: \(what)") }

  private mutating func readAttribute(_ rest: inout Substring) throws {
    guard let match = rest.prefixMatch(of: #/\s*(type|filename|encoder|headers)=\s*/#.ignoresCase()) else {
      let unknown = word(&rest)
      if !unknown.isEmpty { warnings.append("skip unknown form field: \(unknown)") }
      return
    }
    rest = rest[match.range.upperBound...]
    switch match.1.lowercased() {
    case "filename": filename = word(&rest)
    case "type":
      // The media type includes its parameters. It ends where an attribute follows.
      let pattern = #/[^/\s;]+/[^;\s,][^;]*(?:;(?!\s*(?:filename|encoder|headers)=)[^;]*)*/#.ignoresCase()
      guard let type = rest.prefixMatch(of: pattern) else {
        throw UsageFailure("option -F: the type must be like text/plain")
      }
      self.type = type.output.trimming()
      rest = rest[type.range.upperBound...]
    case let other: throw Self.unsupported("\(other)=")
    }
  }

  /// Parses a word up to a semicolon. A quoted word, with the escapes `\"` and `\\`, may contain semicolons.
  private mutating func word(_ rest: inout Substring) -> String {
    let quoted = rest.prefixMatch(of: #/\s*"((?:\\["\\]|[^"])*)"([^;]*)/#)
    let plain = rest.prefix { $0 != ";" }
    rest = rest[(quoted?.range.upperBound ?? plain.endIndex)...]
    guard let quoted else { return plain.trimming() }
    if !quoted.2.trimming().isEmpty { warnings.append("Trailing data after quoted form parameter") }
    return String(quoted.1.replacing(#/\\(["\\])/#) { $0.1 })
  }
}

extension MultipartForm {
  /// Creates the form of all `-F` and `--form-string`, with a boundary in curl's format. Files and pipes are streamed when they
  /// are sent.
  init(_ arguments: [FormArgument]) throws {
    self.init()
    boundary = String(repeating: "-", count: 24) + (0..<16).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    for argument in arguments { append(head: argument.head, body: try argument.body()) }
  }
}

extension FormArgument {
  /// The lines of the part's head, in curl's order.
  var head: [String] {
    var filename = filename
    if case .file(let path, true) = content, filename == nil {
      filename = path.split(separator: "/").last.map(String.init) ?? path
    }
    if case .input(_, true) = content, filename == nil { filename = "-" }
    let named = name.isEmpty ? "" : "; name=\"\(MultipartForm.escape(name))\""
    let filed = filename.map { "; filename=\"\(MultipartForm.escape($0))\"" } ?? ""
    return ["Content-Disposition: form-data\(named)\(filed)"] + (contentType(filename).map { ["Content-Type: \($0)"] } ?? [])
  }

  /// The given type, or the type for the extension of the filename or the path. Text without a filename has no type.
  private func contentType(_ filename: String?) -> String? {
    if let type { return type }
    var (found, isFile) = (MediaType(extensionOf: filename ?? ""), false)
    if case .file(let path, _) = content {
      isFile = filename != nil
      if found == .binary { found = MediaType(extensionOf: path) }
    }
    return isFile || found != .binary && (filename != nil || found != MediaType("text", "plain")) ? found.description : nil
  }

  fileprivate func body() throws -> Body {
    switch content {
    case .text(let text): return .text(text)
    case .input(let data, _): return .data(data)
    case .file(let path, _):
      do {
        return try InputFile(name: path).isRegular ? .file(path) : .stream(InputPieces(InputFile(name: path)))
      } catch {
        throw CommandFailure(ExitStatus.readError, "Failed to open/read local data from file/application")
      }
    }
  }
}
