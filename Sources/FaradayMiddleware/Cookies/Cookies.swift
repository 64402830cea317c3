public import FaradayCore

/// Keeps the cookies that servers set in a ``CookieJar``, and sends them back where they belong.
///
///     connection.use(.redirects())
///     connection.use(.cookies())
///
/// It stands below ``Redirects`` and ``Retry``, so that each hop and each attempt gets its own cookies and what it sets is kept.
/// A request that has become foreign gets that server's cookies, as any other does, and no others.
///
/// - A `Cookie` field that the caller has set stands first, and a cookie of the jar with the same name as one in it is not sent.
/// - `Set-Cookie` is taken from every response, whatever its status, and also if it breaks off after its head. Informational
///   responses and trailers set none.
/// - Over an adapter without ``FaradayCore/Capabilities/repeatedHeaders``, which joins `Set-Cookie` fields by commas, they are
///   taken apart: at a comma that a name and `=` follow, and that is within no quotes.
/// - A cookie that is not UTF-8 is refused: it could not be sent back as it came.
public struct Cookies: Middleware {
  public typealias RefusedHandler = @Sendable (_ refused: CookieRefused, _ url: URL) -> Void

  /// Where the cookies are kept.
  public let jar: CookieJar
  private let onRefused: RefusedHandler?

  /// - Parameters:
  ///   - jar: may be shared with other connections. By default one that is empty, and gone with the last copy of this.
  ///   - onRefused: called for each cookie of a response that is not kept, on the request's task.
  public init(_ jar: CookieJar = CookieJar(), onRefused: RefusedHandler? = nil) {
    self.jar = jar
    self.onRefused = onRefused
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    addCookies(to: &request)
    let areApart = next.capabilities.contains(.repeatedHeaders)
    do {
      let response = try await next(request)
      take(response.headers, from: response.url, areApart: areApart)
      return response
    } catch {
      if let partial = (error as? TransportError)?.partialResponse {
        take(partial.headers, from: partial.url, areApart: areApart)
      }
      throw error
    }
  }

  private func addCookies(to request: inout Request) {
    let cookies = jar.use(for: request.url)
    // `HTTPFields` makes a field of each cookie, which is for HTTP/2; here it is one field in all (RFC 6265bis, section 5.8.1).
    let own = request.headers[fields: .cookie].map(\.value)
    guard !cookies.isEmpty || own.count > 1 else { return }
    let ownNames = Set(own.flatMap { $0.split(byte: ";").map(Self.name) })
    // The caller's are sent byte by byte as they are.
    let ownBytes = request.headers[fields: .cookie].map { $0.withUnsafeBytesOfValue { Array($0) } }
    let bytes = ownBytes + cookies.filter { !ownNames.contains($0.name) }.map { Array($0.pair.utf8) }
    request.headers[fields: .cookie] = [HTTPField(name: .cookie, lenientValue: Array(bytes.joined(separator: "; ".utf8)))]
  }

  private static func name(of pair: Substring) -> String {
    pair.utf8.firstIndex(of: UInt8(ascii: "=")).map { pair[..<$0].trimming() } ?? ""
  }

  private func take(_ headers: HTTPFields, from url: URL, areApart: Bool) {
    for value in SetCookieFields.values(in: headers, areApart: areApart) {
      do throws(CookieRefused) {
        guard let value else { throw CookieRefused("", "it is not UTF-8") }
        try jar.receive(value, from: url)
      } catch {
        onRefused?(error, url)
      }
    }
  }
}

extension Middleware where Self == Cookies {
  /// Keeps cookies, and sends them back. See ``Cookies``.
  public static func cookies(_ jar: CookieJar = CookieJar(), onRefused: Cookies.RefusedHandler? = nil) -> Self {
    Self(jar, onRefused: onRefused)
  }
}
