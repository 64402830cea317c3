public import FaradayCore

/// HTTP Strict Transport Security (RFC 6797): learns from responses which hosts require `https`, and changes the URL of a later
/// `http` request to such a host to `https` before it is sent.
///
///     let store = HSTSStore()
///     connection.use(.redirects())
///     connection.use(.hsts(store))
///
/// Place it below ``Redirects`` and ``Retry``, so that each redirect is changed too, and above ``Cookies`` and the middleware
/// that adds credentials, so that they see the URL that is sent. A redirect is resolved against the URL before the change. With
/// a second `HSTS` above ``Redirects``, over the same store, ``Redirects`` sees the changed URL too.
///
/// - `Strict-Transport-Security` counts only if it came over `https` from a server whose certificate was verified
///   (``FaradayCore/TLS/verifiesServer``), and not from an IP address. If there are several fields, the first counts (section
///   8.1).
/// - The changed URL keeps its port, but 80 becomes 443 (section 8.3). A same-origin request stays same-origin, and keeps the
///   connection's header fields and credentials, because only the transport changes. This also applies to the requests for
///   further pages and HAL links, with `http` or `https`.
/// - A request that fails over `https` is an error. It is never sent over `http` instead (section 8.4).
public struct HSTS: Middleware {
  /// The store of the learned hosts.
  public let store: HSTSStore

  /// - Parameter store: can be shared with other connections, and read from and written to a file. By default a new, empty
  ///   store, which lives as long as the copies of this middleware.
  public init(_ store: HSTSStore = HSTSStore()) { self.store = store }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    let secure = store.secureURL(for: request.url)
    if let secure { request.moveToSecureOrigin(secure) }
    var response: Response
    do { response = try await next(request) } catch {
      if let response = (error as? any FaradayError)?.response { learn(from: response, to: request) }
      throw error
    }
    if let secure, response.isFromOrigin(of: secure) { response.wasMovedToSecureOrigin = true }
    learn(from: response, to: request)
    return response
  }

  private func learn(from response: Response, to request: Request) {
    guard request.options.tls.verifiesServer, let field = response.headers[fields: .strictTransportSecurity].first else { return }
    store.receive(field.value, from: response.url)
  }
}

extension Middleware where Self == HSTS {
  /// Learns which hosts require `https`, and sends requests to them over `https`. See ``FaradayMiddleware/HSTS``.
  public static func hsts(_ store: HSTSStore = HSTSStore()) -> Self { Self(store) }
}
