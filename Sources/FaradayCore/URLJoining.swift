#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    let base = Parts(base.absoluteString)
    let added = Parts(URL.encoded(path))
    let left = base.path.hasSuffix("/") ? base.path.dropLast() : base.path
    let right = added.path.hasPrefix("/") ? added.path.dropFirst() : added.path
    let joined = right.isEmpty ? base.path : left + "/" + right
    let query = [base.query, added.query].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "&")
    let fragment = added.fragment.map { "#" + $0 } ?? ""
    return URL(string: joined + (query.isEmpty ? "" : "?" + query) + fragment)
  }

  /// A reference cut at its `?` and `#`; the path keeps whatever stands before it.
  private struct Parts {
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
      let fragmentStart = text.firstIndex(of: "#") ?? text.endIndex
      let queryStart = text[..<fragmentStart].firstIndex(of: "?") ?? fragmentStart
      path = text[..<queryStart]
      if queryStart < fragmentStart { query = text[queryStart..<fragmentStart].dropFirst() }
      if fragmentStart < text.endIndex { fragment = text[fragmentStart...].dropFirst() }
    }
  }
}
