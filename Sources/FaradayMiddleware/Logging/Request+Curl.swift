public import FaradayCore

extension Request {
  /// An equivalent curl command line for a POSIX shell, with ``FaradayCore/Secrets/mark`` for secrets. See
  /// ``curlCommand(revealingSecrets:)``.
  public var curlCommand: String { curlCommand(revealingSecrets: false) }

  /// An equivalent curl command line for a POSIX shell, for debugging and bug reports.
  ///
  /// Everything is quoted, whatever the request contains: pasting the command runs curl, and with a body that is binary or too
  /// long for an argument, `printf` and `base64` before it. A body that is a file is named, and has to exist. What a command
  /// cannot express is a comment behind it: a body that is a stream or not encoded yet. The proxy of the adapter and the
  /// idle timeout are left out.
  ///
  /// - Parameter revealingSecrets: false redacts what a log would redact: see ``FaradayMiddleware/ExchangeLogger``. A
  ///   `multipart/form-data` body is left out whole then. Other binary bodies are included as they are.
  public func curlCommand(revealingSecrets: Bool) -> String {
    guard ["http", "https"].contains(url.scheme?.lowercased()) else { return "# curl is to send to http and https URLs only" }
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
      remarks.append("without its body, a " + (body.unencodedValue.map { "value of type \(type(of: $0))" } ?? "stream"))
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
    // `-` would be standard input.
    let path = path.hasPrefix("/") ? path : "./" + path
    // To a URL that ends in a slash, -T would add the file's name.
    let place = request.url.path(percentEncoded: true)
    guard !place.isEmpty, !place.hasSuffix("/") else { return addContent("--data-binary", "@" + path) }
    addMethod(unlike: .put)
    add("-T", path)
  }

  // MARK: headers and options

  private mutating func addHeaders() {
    // How the body is framed is the body's affair.
    for field in request.headers where field.name != .contentLength && field.name != .transferEncoding {
      // No field may have a control character in it, and a terminal might obey it.
      let value = (secrets?.redacting(field) ?? field.value).unicodeScalars.map { $0.isASCII && $0.isUnseen ? " " : String($0) }
      let text = value.joined().trimming()
      add("-H", text.isEmpty ? "\(field.name);" : "\(field.name): \(text)")
    }
    // What curl adds by itself.
    var added: [HTTPField.Name] = [.userAgent, .accept]
    let options = Set(words)
    if !options.isDisjoint(with: ["--data-binary", "--data-raw"]) { added.append(.contentType) }
    if options.contains("-T") || request.body.length.map({ $0 > 1 << 20 }) == true { added.append(.expect) }
    for name in added where !request.headers.contains(name) { add("-H", "\(name):") }
  }

  private mutating func addOptions() {
    let options = request.options
    if options.decompression != nil { add("--compressed") }
    if options.acceptsHTTP0_9 { add("--http0.9") }
    switch options.httpVersion {
    case .automatic: break
    case .http1_0: add("--http1.0")
    case .http1: add("--http1.1")
    case .http2: add("--http2")
    case .http2PriorKnowledge: add("--http2-prior-knowledge")
    case .http3: add("--http3")
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

  /// To the next millisecond: none at all would be no limit.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = max(1, Int64((duration.withinClocks / .milliseconds(1)).rounded(.up)))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\(fraction)"
  }

  /// Curl would make several URLs of one, or several files.
  private static func hasBrackets(_ text: String) -> Bool { text.utf8.contains { Set("[]{}".utf8).contains($0) } }

  // MARK: shell

  /// The longest body that is an argument: Linux takes 128 KiB, and each quote becomes four characters.
  private static let longest = 32 << 10 - 1

  /// Nil if it is no text, or if a terminal would do something with it.
  private static func text(of data: Data) -> String? {
    guard let text = String(validating: data, as: UTF8.self) else { return nil }
    return text.unicodeScalars.contains { $0.isUnseen && $0 != "\n" } ? nil : text
  }

  /// Between single quotes nothing means anything but the next one (POSIX, Shell Command Language, 2.2.2). It is looked for
  /// among the bytes, as the shell does: with an accent behind it, it is another `Character`.
  private static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { plain.contains($0) }
    guard !isPlain else { return text }
    let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: #"'\''"#) + "'"
  }

  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,@%+".utf8)
}
