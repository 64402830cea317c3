internal import FaradayCoding
@_spi(Adapters) public import FaradayCore

extension Request {
  /// An equivalent curl command line for a POSIX shell, with ``FaradayCore/Secrets/mark`` for secrets. See
  /// ``curlCommand(revealingSecrets:)``.
  public var curlCommand: String { curlCommand(revealingSecrets: false) }

  /// Returns an equivalent curl command line for a POSIX shell, for debugging and bug reports.
  ///
  /// Everything is quoted, for any contents of the request. Pasting the command runs only curl, preceded by `printf` and
  /// `base64` if the body is binary or too long for an argument. A body from a file is referenced by its path, and the file
  /// must exist. Everything that a command cannot express is a comment after it: a streamed body, or a body that is not encoded
  /// yet. The proxy of the adapter and the idle timeout are left out.
  ///
  /// - Parameter revealingSecrets: false redacts as a log does: see ``FaradayMiddleware/ExchangeLogger``. A
  ///   `multipart/form-data` body is then left out. Other binary bodies are included unchanged.
  public func curlCommand(revealingSecrets: Bool) -> String {
    guard ["http", "https"].contains(url.scheme?.lowercased()) else { return "# only http and https URLs can be sent with curl" }
    return CurlCommand(self, revealingSecrets: revealingSecrets).text
  }
}

private struct CurlCommand {
  private let request: Request
  private let secrets: Secrets?
  private var words = ["curl"]
  private var source = ""
  private var remarks: [String] = []

  init(_ request: Request, revealingSecrets: Bool) {
    self.request = request
    secrets = revealingSecrets ? nil : request.secrets
    let url = secrets?.redacting(request.url) ?? request.url.absoluteString
    if Self.hasBrackets(url) || request.body.file.map({ Self.hasBrackets($0.path) }) == true { add("-g") }
    if Capabilities(neededBy: request).contains(.dotSegments) { add("--path-as-is") }
    addBody()
    addHeaders()
    addOptions()
    words.append(Self.quoted(url))
  }

  var text: String {
    source + words.joined(separator: " ") + (remarks.isEmpty ? "" : " # " + remarks.joined(separator: ", ").escapingControls())
  }

  private mutating func add(_ option: String, _ value: String? = nil) {
    words.append(option)
    if let value { words.append(Self.quoted(value)) }
  }

  // MARK: method and body

  private mutating func addBody() {
    let body = request.body
    if request.method == .head { return add("-I") }
    if body.isEmpty { return request.method.expectsBody ? addContent("--data-binary", "") : addMethod(unlike: .get) }
    if let file = body.file { return add(file: file.path) }
    guard let data = body.data else {
      addMethod(unlike: .get)
      remarks.append(
        "without its body, a "
          + (body.unencodedValue.map { "value of type \(type(of: $0))" } ?? (body.isFileRange ? "range of a file" : "stream")))
      return
    }
    if secrets != nil, request.headers.contentType == .multipartForm {
      addMethod(unlike: .get)
      remarks.append("without its body, a form of \(data.count) bytes that may have secrets in it")
    } else if data.count <= Self.longest, let text = Self.text(of: data) {
      let shown = secrets?.showing(body: text, of: request.headers.contentType) ?? text
      addContent(shown.hasPrefix("@") ? "--data-raw" : "--data-binary", shown)
    } else {
      let shown = secrets.flatMap { secrets in
        String(validating: data, as: UTF8.self).map { Data(secrets.showing(body: $0, of: request.headers.contentType).utf8) }
      }
      source = "printf %s '\((shown ?? data).base64EncodedString())' | base64 -d | "
      addContent("--data-binary", "@-")
    }
  }

  private mutating func addMethod(unlike implied: HTTPRequest.Method) {
    if request.method != implied { add("-X", request.method.rawValue) }
  }

  private mutating func addContent(_ option: String, _ value: String) {
    addMethod(unlike: .post)
    add(option, value)
  }

  private mutating func add(file path: String) {
    // `-` would mean standard input.
    let path = path.hasPrefix("/") ? path : "./" + path
    // With a URL that ends in a slash, -T would append the file's name.
    let place = request.url.path(percentEncoded: true)
    guard !place.isEmpty, !place.hasSuffix("/") else { return addContent("--data-binary", "@" + path) }
    addMethod(unlike: .put)
    add("-T", path)
  }

  // MARK: headers and options

  private mutating func addHeaders() {
    // The body determines its framing, so these fields are left out.
    for field in request.headers where field.name != .contentLength && field.name != .transferEncoding {
      // A field must not contain control characters, because a terminal might execute them.
      let value = (secrets?.redacting(field) ?? field.value).unicodeScalars.map { $0.isASCII && $0.isUnseen ? " " : String($0) }
      let text = value.joined().trimming()
      add("-H", text.isEmpty ? "\(field.name);" : "\(field.name): \(text)")
    }
    // Fields that curl adds by default.
    var added: [HTTPField.Name] = [.userAgent, .accept]
    let options = Set(words)
    if !options.isDisjoint(with: ["--data-binary", "--data-raw"]) { added.append(.contentType) }
    if options.contains("-T") || request.body.length.map({ $0 > 1 << 20 }) == true { added.append(.expect) }
    for name in added where !request.headers.contains(name) { add("-H", "\(name):") }
  }

  private mutating func addOptions() {
    let options = request.options
    for option in TransportOption.all where !option.isUncommon && option.isSet(in: options) {
      if case .word(let name) = option.curl { add(name) }
    }
    if let connect = options.timeouts.connect, connect != Timeouts().connect { add("--connect-timeout", Self.seconds(connect)) }
    if let total = options.timeouts.total { add("-m", Self.seconds(total)) }
    switch options.requestTarget {
    case .origin: break
    case .asterisk: add("--request-target", "*")
    case .verbatim(let target): add("--request-target", secrets?.redacting(urlText: target) ?? target)
    }
    let transport = options.curlOptions(revealingSecrets: secrets == nil)
    for option in transport.options { add(option.name, option.value) }
    remarks += transport.remarks
  }

  /// Rounds up to the next millisecond: zero would mean no limit.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = max(1, Int64((duration.withinClocks / .milliseconds(1)).rounded(.up)))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\(fraction)"
  }

  /// Whether curl would expand the URL or path to several of them.
  private static func hasBrackets(_ text: String) -> Bool { text.utf8.contains { Set("[]{}".utf8).contains($0) } }

  // MARK: shell

  /// The longest body that is an argument: Linux allows 128 KiB, and each quote becomes four characters.
  private static let longest = 32 << 10 - 1

  /// Returns nil if the data is not text, or if a terminal would interpret it.
  private static func text(of data: Data) -> String? {
    guard let text = String(validating: data, as: UTF8.self) else { return nil }
    return text.unicodeScalars.contains { $0.isUnseen && $0 != "\n" } ? nil : text
  }

  /// Quotes a text. Between single quotes only the next single quote has a meaning (POSIX, Shell Command Language, 2.2.2).
  /// Quotes are searched for in bytes, as the shell does: a quote followed by a combining accent is a different `Character`.
  private static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { plain.contains($0) }
    guard !isPlain else { return text }
    let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: #"'\''"#) + "'"
  }

  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,@%+".utf8)
}
