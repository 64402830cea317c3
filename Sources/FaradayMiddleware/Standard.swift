public import FaradayCore
public import Logging

extension [any Middleware] {
  /// What most programs want, as one list: ``standard(authorization:cookies:logger:)`` without its options.
  public static var standard: [any Middleware] { standard() }

  /// What most programs want, as one list; the first sees a request first and its response last.
  ///
  ///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter(), middleware: .standard)
  ///
  /// Any status is a response: whoever wants errors puts ``ExpectStatus`` in front. A list of one's own is made of the same
  /// parts. Every call makes a list with a retry budget of its own.
  ///
  /// - Parameters:
  ///   - authorization: credentials for the connection's own origin: ``Authorization``, ``TokenRefresh``, or one of your own.
  ///   - cookies: where cookies are kept; without it there are none.
  ///   - logger: what is told of each exchange as it is sent; without it nothing is.
  public static func standard(
    authorization: (any Middleware)? = nil, cookies: CookieJar? = nil, logger: Logger? = nil
  ) -> [any Middleware] {
    let list: [(any Middleware)?] = [
      // A value becomes bytes once, however often it is sent.
      EncodeJSON(),
      EncodeForm(),
      Multipart(),
      // The JSON of the last response.
      DecodeJSON(),
      // Each hop passes what stands below, and is retried by itself.
      Redirects(),
      Retry(),
      // Each attempt has the cookies and the credentials of its moment and its server.
      cookies.map { Cookies($0) },
      authorization,
      // What is sent, as it is sent.
      logger.map { ExchangeLogger($0) },
    ]
    return list.compactMap { $0 }
  }
}
