import Faraday

/// The URL argument, completed and validated as curl does.
struct Target: Equatable {
  /// Without user and password, with a path.
  private(set) var url: URL
  /// User and password of the URL, as `user:password`.
  let credentials: String?

  init(_ text: String) throws {
    let complete = text.contains("://") ? text : "http://" + text
    // Foundation would escape them and go on; what is meant by such a URL is anybody's guess.
    guard !complete.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      throw CommandFailure(3, "the URL contains a space or control character, which must be percent-encoded")
    }
    guard let parsed = URL(text: complete), var parts = URLComponents(url: parsed, resolvingAgainstBaseURL: false),
      parts.host?.isEmpty == false || !["http", "https"].contains(parts.scheme?.lowercased()),
      parts.port.map({ (0...65535).contains($0) }) ?? true
    else { throw CommandFailure(3, "\(Secrets().redacting(urlText: complete).bounded()): not a valid URL") }
    credentials = parts.user.map { "\($0):\(parts.password ?? "")" }
    if parts.user != nil || parts.path.isEmpty {
      parts.user = nil
      parts.password = nil
      if parts.path.isEmpty { parts.path = "/" }
      url = parts.url ?? parsed
    } else {
      url = parsed
    }
  }

  /// The last segment of the URL's path, for `-O`; nil if it cannot be a file name.
  var remoteName: String? {
    let path = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return name.isEmpty || name == "." || name == ".." ? nil : name
  }

  /// The URL for an upload of this file: if it ends in a slash, the file's name is appended.
  func naming(upload path: String) throws -> Target {
    var text = url.absoluteString
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    guard path != "-", text[..<end].hasSuffix("/"), let name = path.split(separator: "/").last else { return self }
    text.insert(contentsOf: QueryParameters.encode(String(name)), at: end)
    guard let named = URL(text: text) else { throw CommandFailure(3, "\(path): cannot append the file name to the URL") }
    var target = self
    target.url = named
    return target
  }
}
