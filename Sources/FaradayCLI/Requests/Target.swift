import Faraday

/// The URL argument, completed and validated as curl does.
struct Target: Equatable, Sendable {
  /// The URL without user and password, with a path.
  private(set) var url: URL
  /// The user and password of the URL, as `user:password`.
  private(set) var credentials: String?
  /// The path and query, if they contain characters that are invalid in a URL and are sent unchanged; otherwise nil.
  private(set) var rawTarget: String?
  /// The path as it was given, without escapes of the command's own.
  private var givenPath: String

  /// - Parameters:
  ///   - defaultScheme: of a URL that has none; nil is `http`.
  ///   - keepsDots: whether the path's `.` and `..` stay, as with `--path-as-is`.
  init(_ text: String, defaultScheme: String? = nil, keepsDots: Bool = false) throws {
    let invalid = CommandFailure(3, "URL using bad/illegal format or missing URL")
    guard let complete = Self.complete(text, defaultScheme) else { throw invalid }
    // Foundation would escape spaces and control characters. A URL that contains them is ambiguous.
    guard !complete.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw invalid }
    var parts = URLParts(complete)
    if !keepsDots { parts.removeDotSegments() }
    if parts.path.isEmpty { parts.path = "/" }
    givenPath = String(parts.path)
    parts.path = Self.encoded(parts.path)[...]
    parts.query = parts.query.map { Self.encoded($0)[...] }
    let login = parts.user.utf8.dropLast()
    // Userinfo has an `@` only in percent-encoding (RFC 3986, section 3.2.1).
    guard !login.contains(UInt8(ascii: "@")) else { throw invalid }
    credentials = parts.user.isEmpty ? nil : Self.decoded(Substring(login))
    parts.user = ""
    guard let parsed = URL(text: parts.description), let components = URLComponents(url: parsed, resolvingAgainstBaseURL: false),
      components.host?.isEmpty == false || !["http", "https"].contains(components.scheme?.lowercased()),
      components.port.map({ (0...65535).contains($0) }) ?? true
    else { throw invalid }
    url = parsed
    let raw = parts.path + (parts.query.map { "?" + $0 } ?? "")
    let read = URLParts(parsed.absoluteString)
    if read.path + (read.query.map { "?" + $0 } ?? "") != raw { rawTarget = String(raw) }
  }

  /// Percent-encodes bytes that are not ASCII, as libcurl does.
  private static func encoded(_ text: Substring) -> String {
    text.utf8.contains { $0 >= 0x80 } ? encoded(bytes: text.utf8) : String(text)
  }

  private static func encoded(bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16) }.joined()
  }

  /// Returns the URL with a scheme and two slashes. Like curl, accepts one to three slashes. Returns nil for more.
  private static func complete(_ text: String, _ defaultScheme: String?) -> String? {
    let pattern = #/([A-Za-z0-9+.-]+):(/+)/#.matchingSemantics(.unicodeScalar)
    guard let match = text.prefixMatch(of: pattern) else { return "\(defaultScheme ?? "http")://\(text)" }
    guard match.2.utf8.count <= 3 else { return nil }
    return "\(match.1.lowercased())://\(text[match.range.upperBound...])"
  }

  /// Decodes the user and the password. The first colon separates them.
  private static func decoded(_ login: Substring) -> String {
    let login = Login(String(login))
    return "\(QueryParameters.decode(login.user)):\(QueryParameters.decode(login.password))"
  }

  /// The last segment of the URL's path, for `-O`; nil if it cannot be a file name.
  var remoteName: String? {
    let name =
      givenPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last.map { String($0) ?? "" } ?? ""
    return name.isEmpty || name == "." || name == ".." ? nil : name
  }

  /// The URL argument without user and password.
  var text: String {
    guard let rawTarget else { return url.absoluteString }
    let parts = URLParts(url.absoluteString)
    return "\(parts.start)\(parts.host)\(rawTarget)" + (parts.fragment.map { "#\($0)" } ?? "")
  }

  /// Returns the URL for an upload of this file. If the URL ends in a slash, appends the file's name.
  func naming(upload path: String) throws -> Target {
    var text = text
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    guard path != "-", path != ".", text[..<end].hasSuffix("/"), let name = path.split(separator: "/").last else { return self }
    text.insert(contentsOf: QueryParameters.encode(String(name)), at: end)
    return try with(text, "\(path): cannot append the file name to the URL")
  }

  /// Adds this text unchanged to the URL's query.
  func adding(query: Data) throws -> Target {
    var parts = URLParts(text)
    let added = Self.encoded(bytes: query)
    parts.query = parts.query.map { $0.isEmpty ? added[...] : "\($0)&\(added)"[...] } ?? added[...]
    var target = try with(parts.description, "URL using bad/illegal format or missing URL")
    target.givenPath = givenPath
    return target
  }

  private func with(_ text: String, _ problem: String) throws -> Target {
    do {
      var target = try Target(text, keepsDots: true)
      target.credentials = credentials
      return target
    } catch {
      throw CommandFailure(3, problem)
    }
  }

  /// A connection to the URL, with the user and the password of the URL.
  func connection(over transport: Transport, _ middleware: [any Middleware]) -> Connection {
    let login = credentials.map { Login($0) }
    let authorization = login.map { Authorization(.basic(user: $0.user, password: $0.password)) }
    return Connection(url: url, adapter: transport.adapter(), middleware: middleware + (authorization.map { [$0] } ?? []))
  }

  var scheme: String { url.scheme?.lowercased() ?? "" }
  var host: String { HostName.of(url) ?? "" }
}
