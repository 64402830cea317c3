@_spi(Adapters) internal import FaradayCore

/// The reason why a redirect is not followed, before there is an error with its response.
struct RefusedRedirect: Error {
  let reason: RedirectError.Reason

  init(_ reason: RedirectError.Reason) { self.reason = reason }
}

extension Request {
  /// Returns the request for a redirect.
  ///
  /// - Parameters:
  ///   - keepsRepeatedHeaders: whether the adapter keeps repeated header fields separate.
  ///   - keepsMethod: whether method and body are sent again, with any status.
  ///   - keepsCredentials: whether credentials are sent to another origin too.
  func redirected(
    _ head: HTTPResponse, keepsRepeatedHeaders: Bool, keepsMethod: Bool = false, keepsCredentials: Bool = false
  ) throws(RefusedRedirect) -> Request {
    guard let location = head.headerFields.single(.location, keepsRepeatedHeaders: keepsRepeatedHeaders),
      let target = redirectTarget(location)
    else {
      throw RefusedRedirect(.invalidLocation)
    }
    var redirected = self
    redirected.url = target
    redirected.options.requestTarget = .origin
    if !keepsMethod, changesMethod(head.status) {
      redirected.becomeGet()
    } else if !body.isReplayable {
      throw RefusedRedirect(.bodyNotReplayable)
    }
    guard Origin(target) != Origin(url) else { return redirected }
    if keepsCredentials {
      if let host = HTTPField.Name("Host") { redirected.headers[fields: host] = [] }
      redirected.shortenReferer()
    } else {
      redirected.becomeCrossOrigin()
    }
    return redirected
  }

  /// Returns this request, changed for a redirect back to its origin; nil if the redirect leads to another origin.
  func returning(as redirected: Request) -> Request? {
    guard Origin(url) == Origin(redirected.url) else { return nil }
    var back = self
    var parts = URLParts(redirected.url.absoluteString)
    parts.user = URLParts(url.absoluteString).user
    back.url = URL(string: parts.description) ?? redirected.url
    back.options.requestTarget = .origin
    if redirected.method != method { back.becomeGet() }
    if let referer = redirected.headers[.referer] { back.headers[.referer] = referer }
    return back
  }

  /// Sets the `Referer` of the next request to this URL, without user, password and fragment. For a cross-origin redirect
  /// `becomeCrossOrigin()` shortens it; both are the policy `strict-origin-when-cross-origin` (W3C
  /// Referrer Policy).
  mutating func refer() {
    var parts = URLParts(url.absoluteString)
    (parts.user, parts.fragment) = ("", nil)
    headers[.referer] = parts.description
  }

  /// Whether the method becomes GET (WHATWG Fetch, section 4.4, HTTP-redirect fetch).
  private func changesMethod(_ status: HTTPResponse.Status) -> Bool {
    switch status.code {
    case 301, 302: method == .post
    case 303: method != .get && method != .head
    default: false
    }
  }

  /// Returns the absolute URL of a `Location`.
  ///
  /// Its non-ASCII bytes are percent-encoded one by one, even if they are not UTF-8, so that the server receives the same bytes
  /// (WHATWG Fetch, section 2.2.6). A host has no non-ASCII bytes.
  private func redirectTarget(_ location: [UInt8]) -> URL? {
    let text =
      String(validating: location, as: UTF8.self)
      ?? String(decoding: location.flatMap { $0 < 0x80 ? [$0] : QueryParameters.escape($0) }, as: UTF8.self)
    guard let resolved = URL(text: text, relativeTo: url)?.absoluteURL, let scheme = resolved.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = resolved.host(), !host.isEmpty,
      !QueryParameters.decode(host).contains("\u{FFFD}")
    else { return nil }
    var parts = URLParts(resolved.absoluteString)
    let before = URLParts(url.absoluteString)
    parts.start = parts.start.lowercased()[...]
    parts.user = Origin(resolved) == Origin(url) ? before.user : ""
    parts.fragment = parts.fragment ?? before.fragment
    // Foundation keeps the dot segments of a reference that has a host; an adapter may reject them. If a reference has no path,
    // the path of the caller's URL is unchanged (RFC 3986, section 5.2.2).
    if URLParts(text).hasAuthority { parts.removeDotSegments() }
    return URL(string: parts.description)
  }
}
