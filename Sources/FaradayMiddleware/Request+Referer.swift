internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Request {
  /// Says who led here, by the rule `strict-origin-when-cross-origin` of the Referrer Policy standard: the whole URL within an
  /// origin, the origin alone to another, nothing from `https` to `http`; never a user, a password or a fragment.
  mutating func setReferer(_ previous: URL) {
    headers[.referer] = referer(previous)
  }

  private func referer(_ previous: URL) -> String? {
    guard isSecure || previous.scheme?.lowercased() != "https" else { return nil }
    var parts = URLParts(previous.absoluteString)
    parts.user = ""
    parts.fragment = nil
    if Origin(url) != Origin(previous) { (parts.path, parts.query) = ("/", nil) }
    return parts.description
  }
}
