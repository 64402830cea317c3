public import FaradayCore

/// Stores the cookies of responses in a ``CookieJar``, and adds a `Cookie` header to requests.
///
///     connection.use(.redirects())
///     connection.use(.cookies())
///
/// Place it below ``Redirects``, so that each redirect gets its own cookies, and the cookies of each redirect response are
/// stored. ``Retry`` can be above or below it: cookies of a response that is retried are stored, and sent with the retry. A
/// cross-origin request gets only the cookies of its server, like any other request.
///
/// - The cookies of a `Cookie` header that the caller has set come first. Cookies of the jar with the same names are not sent.
/// - `Set-Cookie` is read from every response with any status, even if its body fails. It is not read from informational
///   responses and trailers.
/// - An adapter without ``FaradayCore/Capabilities/repeatedHeaders`` joins `Set-Cookie` fields by commas. They are split at
///   each comma that is followed by a name and `=`, and that is not within quotes.
/// - Cookies are bytes in any encoding, and are sent back unchanged. An adapter that supports only text in header fields, such
///   as URLSession, can change cookies that are not UTF-8.
/// - The field has at most 150 cookies and 8190 bytes; cookies with the longest paths take precedence (``CookieJar/Limits``).
public struct Cookies: Middleware {
  /// Called with a cookie that was not stored, and the URL of the response that set it.
  public typealias RejectionHandler = @Sendable (_ rejected: CookieError, _ url: URL) -> Void

  /// The jar that stores the cookies.
  public let jar: CookieJar
  private let onRejected: RejectionHandler?

  /// - Parameters:
  ///   - jar: can be shared with other connections. By default a new, empty jar, which lives as long as the copies of this
  ///     middleware.
  ///   - onRejected: called for each cookie of a response that is not stored, on the request's task.
  public init(_ jar: CookieJar = CookieJar(), onRejected: RejectionHandler? = nil) {
    self.jar = jar
    self.onRejected = onRejected
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let keepsRepeatedHeaders = next.capabilities.contains(.repeatedHeaders)
    let own = request.headers[fields: .cookie]
    var request = request
    request.options.retriedResponses.note = { response, request in
      take(response.headers, from: response.url, keepsRepeatedHeaders: keepsRepeatedHeaders)
      request.headers[fields: .cookie] = own
      addCookies(to: &request)
    }
    addCookies(to: &request)
    do {
      let response = try await next(request)
      take(response.headers, from: response.url, keepsRepeatedHeaders: keepsRepeatedHeaders)
      return response
    } catch {
      if let response = (error as? any FaradayError)?.response {
        take(response.headers, from: response.url, keepsRepeatedHeaders: keepsRepeatedHeaders)
      }
      throw error
    }
  }

  private func addCookies(to request: inout Request) {
    // `HTTPFields` splits the cookies into one field each, for HTTP/2. This code joins them into one field (RFC 6265bis,
    // section 5.8.1).
    let own = request.headers[fields: .cookie]
    var field = CookieField(own)
    guard jar.fill(&field, for: request.url) || own.count > 1 else { return }
    request.headers[fields: .cookie] = [HTTPField(name: .cookie, lenientValue: field.value)]
  }

  private func take(_ headers: HTTPFields, from url: URL, keepsRepeatedHeaders: Bool) {
    for value in SetCookieFields.values(in: headers, keepsRepeatedHeaders: keepsRepeatedHeaders) {
      do throws(CookieError) {
        try jar.receive(value, from: url)
      } catch {
        onRejected?(error, url)
      }
    }
  }
}

extension Middleware where Self == Cookies {
  /// Stores the cookies of responses, and sends them with later requests. See ``FaradayMiddleware/Cookies``.
  public static func cookies(_ jar: CookieJar = CookieJar(), onRejected: Cookies.RejectionHandler? = nil) -> Self {
    Self(jar, onRejected: onRejected)
  }
}
