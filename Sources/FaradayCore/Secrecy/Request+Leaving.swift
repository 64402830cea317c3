extension Request {
  /// Makes this, whose URL is a redirect's target already, a request to another origin than before (RFC 9110, section 15.4).
  ///
  /// It goes without `Authorization`, `Proxy-Authorization`, `Cookie`, every field that ``secrets`` names and every one that the
  /// connection gave it; without `Host`; with no more of a `Referer` than its origin, and with none of it where that is https and
  /// this is not. It is foreign from now on: no middleware below adds credentials.
  public mutating func leaveOrigin() {
    let secrets = secrets
    let carried = Set((provenance?.carried ?? [:]).map(\.name))
    for name in Set(headers.map(\.name))
    where name == Self.host || carried.contains(name) || secrets.keepsHome(name) {
      headers[fields: name] = []
    }
    shortenReferer()
    provenance = (provenance ?? .none).with(carried: [:], isForeign: true)
  }

  /// As `strict-origin` does (W3C Referrer Policy, section 3.6).
  private mutating func shortenReferer() {
    guard let referer = headers[.referer] else { return }
    let parts = URLParts(referer)
    let scheme = parts.start.lowercased()
    let isKept = scheme == "http://" || scheme == "https://" && url.scheme?.lowercased() == "https"
    headers[fields: .referer] = []
    if isKept, URL(string: referer)?.host()?.isEmpty == false { headers[.referer] = parts.start + parts.host + "/" }
  }

  /// It names the server before.
  private static let host = HTTPField.Name("Host")
}

extension Secrets {
  /// Whether a middleware may not add the field to a foreign request, nor a redirect take it along.
  package func keepsHome(_ name: HTTPField.Name) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie || contains(name)
  }
}
