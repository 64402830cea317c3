import Faraday

/// The URL argument, completed and validated as curl does.
struct Target: Equatable, Sendable {
  /// Without user and password, with a path.
  private(set) var url: URL
  /// User and password of the URL, as `user:password`.
  private(set) var credentials: String?
  /// The path and query, if they have characters that no URL has and that are sent as they are; nil for others.
  private(set) var rawTarget: String?

  /// - Parameters:
  ///   - defaultScheme: of a URL that has none; nil guesses it from the host's name.
  ///   - keepsDots: whether the path's `.` and `..` stay, as with `--path-as-is`.
  init(_ text: String, defaultScheme: String? = nil, keepsDots: Bool = false) throws {
    let invalid = CommandFailure(3, "URL using bad/illegal format or missing URL")
    guard let complete = Self.complete(text, defaultScheme) else { throw invalid }
    // Foundation would escape them and go on; what is meant by such a URL is anybody's guess.
    guard !complete.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw invalid }
    var parts = URLParts(complete)
    if !keepsDots { parts.removeDotSegments() }
    if parts.path.isEmpty { parts.path = "/" }
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

  /// Bytes that are not ASCII are percent-encoded, as libcurl writes them.
  private static func encoded(_ text: Substring) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return String(text) }
    return text.utf8.map { byte in
      byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
    }.joined()
  }

  /// The URL with a scheme and two slashes; curl takes one to three. Nil for more.
  private static func complete(_ text: String, _ defaultScheme: String?) -> String? {
    guard let (scheme, slashes) = start(of: text), slashes > 0 else {
      return "\(defaultScheme ?? guessedScheme(text))://\(text)"
    }
    guard slashes <= 3 else { return nil }
    return "\(scheme.lowercased())://\(Substring(text.utf8.dropFirst(scheme.utf8.count + 1 + slashes)))"
  }

  /// The scheme of a URL and the number of slashes behind its colon; nil if there is no scheme.
  static func start(of text: String) -> (scheme: Substring, slashes: Int)? {
    let scheme = text.utf8.prefix { $0.isDigit || ($0 | 0x20) &- 0x61 < 26 || Set("+-.".utf8).contains($0) }
    let rest = text.utf8.dropFirst(scheme.count)
    guard !scheme.isEmpty, rest.first == UInt8(ascii: ":") else { return nil }
    return (Substring(scheme), rest.dropFirst().prefix { $0 == UInt8(ascii: "/") }.count)
  }

  private static func guessedScheme(_ text: String) -> String {
    let name = text.lowercased()
    return ["ftp", "dict", "ldap", "imap", "smtp", "pop3"].first { name.hasPrefix($0 + ".") } ?? "http"
  }

  /// `user:password`, each decoded; the first colon parts them.
  private static func decoded(_ login: Substring) -> String {
    let login = Login(String(login))
    return "\(QueryParameters.decode(login.user)):\(QueryParameters.decode(login.password))"
  }

  /// The last segment of the URL's path, for `-O`; nil if it cannot be a file name.
  var remoteName: String? {
    let path = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return name.isEmpty || name == "." || name == ".." ? nil : name
  }

  /// The URL as it was given, without user and password.
  var text: String {
    guard let rawTarget else { return url.absoluteString }
    let parts = URLParts(url.absoluteString)
    return "\(parts.start)\(parts.host)\(rawTarget)" + (parts.fragment.map { "#\($0)" } ?? "")
  }

  /// The URL for an upload of this file: if it ends in a slash, the file's name is appended.
  func naming(upload path: String) throws -> Target {
    var text = text
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    guard path != "-", path != ".", text[..<end].hasSuffix("/"), let name = path.split(separator: "/").last else { return self }
    text.insert(contentsOf: QueryParameters.encode(String(name)), at: end)
    return try with(text, "\(path): cannot append the file name to the URL")
  }

  /// The URL with this added to its query, as it is.
  func adding(query: Data) throws -> Target {
    var parts = URLParts(text)
    let added = Self.loweringEscapes(of: String(decoding: query, as: UTF8.self))
    parts.query = parts.query.map { $0.isEmpty ? added[...] : "\($0)&\(added)"[...] } ?? added[...]
    return try with(parts.description, "URL using bad/illegal format or missing URL")
  }

  /// The digits of percent-encoded bytes in lower case, as libcurl writes what it adds to a URL.
  private static func loweringEscapes(of text: String) -> String {
    text.replacing(#/%[0-9A-Fa-f]{2}/#) { $0.output.lowercased() }
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
}
