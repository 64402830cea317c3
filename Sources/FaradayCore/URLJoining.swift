/// How a path meets a connection's base URL.
public enum URLJoining: Sendable, Hashable {
  /// As a link on a page (RFC 3986, section 5): `users` on `https://host/v2/` is `/v2/users`, on `https://host/v2` it is
  /// `/users`, and `/users` drops the base's path on either.
  case resolve
  /// Behind the base: `users` or `/users` on `https://host/v2` is `/v2/users`. The base's query and the path's are both kept.
  case append

  /// The joined URL; nil if the path makes none.
  public func join(_ path: String, to base: URL) -> URL? {
    guard !path.isEmpty else { return base }
    switch self {
    case .resolve: return URL(text: path, relativeTo: base)?.absoluteURL
    case .append: return append(path, to: base)
    }
  }

  private func append(_ path: String, to base: URL) -> URL? {
    var joined = URLParts(base.absoluteString)
    let added = URLParts(URL.encoded(path))
    // A scheme or a host in it would be a part of the path too: nothing leads away from the base.
    let right = added.place.hasPrefix("/") ? added.place.dropFirst() : added.place[...]
    if !right.isEmpty { joined.path = (joined.path.hasSuffix("/") ? joined.path.dropLast() : joined.path) + "/" + right }
    let queries = [joined.query, added.query].compactMap { $0 }.filter { !$0.isEmpty }
    joined.query = queries.isEmpty ? nil : queries.joined(separator: "&")[...]
    joined.fragment = added.fragment
    return URL(string: joined.description)
  }
}
