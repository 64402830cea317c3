extension Request {
  /// Makes this a cross-origin request: removes credentials, and ``isCrossOrigin`` is true from now on, so that no middleware below
  /// adds any (RFC 9110, section 15.4). Call it when a redirect or a link leads to another origin, after setting ``url``.
  ///
  /// It removes `Authorization`, `Proxy-Authorization`, `Cookie`, every field that ``secrets`` names, every default header of the
  /// connection, and `Host`; ``Options/authentication`` and ``TLS/clientCertificate`` too. It shortens `Referer`
  /// to its origin, and removes it on the way from https to http.
  public mutating func becomeCrossOrigin() {
    let secrets = secrets
    let originBoundHeaders = Set((context?.originBoundHeaders ?? [:]).map(\.name))
    for name in Set(headers.map(\.name))
    where name == Self.host || originBoundHeaders.contains(name) || secrets.isRemovedCrossOrigin(name) {
      headers[fields: name] = []
    }
    shortenReferer()
    options.removeCredentials()
    context = (context ?? .none).crossOrigin()
  }

  /// The policy `strict-origin` (W3C Referrer Policy, section 3.6).
  private mutating func shortenReferer() {
    guard let referer = headers[.referer] else { return }
    let parts = URLParts(referer)
    let scheme = parts.start.lowercased()
    let isKept = scheme == "http://" || scheme == "https://" && url.scheme?.lowercased() == "https"
    headers[fields: .referer] = []
    if isKept, URL(string: referer)?.host()?.isEmpty == false { headers[.referer] = parts.start + parts.host + "/" }
  }

  /// Names the origin that the request has left.
  static let host = HTTPField.Name("Host")
}

extension Secrets {
  /// Whether the field is a credential or named as secret: it is removed from cross-origin requests, and no middleware adds it.
  package func isRemovedCrossOrigin(_ name: HTTPField.Name) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie || contains(name)
  }
}
