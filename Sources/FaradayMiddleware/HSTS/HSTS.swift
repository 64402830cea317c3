public import FaradayCore

/// HTTP Strict Transport Security (RFC 6797): learns from responses which hosts are to be asked over `https` only, and changes the
/// URL of a later `http` request to such a host to `https` before it is sent.
///
///     let store = HSTSStore()
///     connection.use(.redirects())
///     connection.use(.hsts(store))
///
/// Place it below ``Redirects`` and ``Retry``, so that each redirect is changed too, and above ``Cookies`` and the middleware that
/// adds credentials, so that they see the URL that is sent. A redirect is relative to the URL before the change: with a second one
/// above ``Redirects``, over the same store, the first URL is changed for them as well.
///
/// - `Strict-Transport-Security` counts only if it came over `https` from a server whose certificate was verified
///   (``FaradayCore/TLS/verifiesServer``), and not from an IP address. Of several fields the first counts (section 8.1).
/// - The changed URL keeps its port, but 80 becomes 443 (section 8.3). A request that was same-origin stays so, and keeps the
///   connection's header fields and credentials: the server is the same one, and only the transport is a better one. So do the
///   requests for its further pages and HAL links, whether these are `http` or `https`.
/// - A request whose `https` fails is an error; it is never sent over `http` instead (section 8.4).
public struct HSTS: Middleware {
  /// The hosts that were learned.
  public let store: HSTSStore

  /// - Parameter store: may be shared with other connections, and be read from a file and written to one. By default a new, empty
  ///   one, which lives as long as the copies of this middleware.
  public init(_ store: HSTSStore = HSTSStore()) { self.store = store }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    let secure = store.secureURL(for: request.url)
    if let secure { request.moveToSecureOrigin(secure) }
    var response = try await next(request)
    if let secure, response.isFromOrigin(of: secure) { response.wasMovedToSecureOrigin = true }
    if request.options.tls.verifiesServer, let field = response.headers[fields: .strictTransportSecurity].first {
      store.receive(field.value, from: response.url)
    }
    return response
  }
}

extension Middleware where Self == HSTS {
  /// Learns which hosts are to be asked over `https` only, and asks them so. See ``FaradayMiddleware/HSTS``.
  public static func hsts(_ store: HSTSStore = HSTSStore()) -> Self { Self(store) }
}
