internal import FaradayCore

extension Request {
  /// The request that a redirect asks for.
  ///
  /// - Parameter keepsRepeatedHeaders: whether the adapter keeps repeated header fields apart.
  func redirected(_ head: HTTPResponse, keepsRepeatedHeaders: Bool) throws(RedirectError.Reason) -> Request {
    guard let location = head.headerFields.single(.location, keepsRepeatedHeaders: keepsRepeatedHeaders),
      let target = redirectTarget(location)
    else {
      throw .invalidLocation
    }
    var redirected = self
    redirected.url = target
    redirected.options.requestTarget = .origin
    if changesMethod(head.status) {
      redirected.becomeGet()
    } else if !body.isReplayable {
      throw .bodyNotReplayable
    }
    if Origin(target) != Origin(url) { redirected.becomeCrossOrigin() }
    return redirected
  }

  /// Sets the `Referer` of the next request to this URL, without user, password and fragment. For a cross-origin redirect
  /// ``FaradayCore/Request/becomeCrossOrigin()`` shortens it; both are the policy `strict-origin-when-cross-origin` (W3C
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

  /// The absolute URL of a `Location`.
  ///
  /// Its non-ASCII bytes are percent-encoded one by one, whether they are UTF-8 or not: the server that wrote them gets them
  /// back (WHATWG Fetch, section 2.2.6). A host has no such bytes.
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
    parts.user = Origin(resolved) == Origin(url) ? before.user : ""
    parts.fragment = parts.fragment ?? before.fragment
    // Foundation leaves those of a reference that has a host; an adapter may refuse them. Where a reference has no path, what the
    // caller's URL has stays as it is (RFC 3986, section 5.2.2).
    if URLParts(text).hasAuthority { parts.removeDotSegments() }
    return URL(string: parts.description)
  }
}
