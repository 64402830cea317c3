public import FaradayCore
public import Logging

extension [any Middleware] {
  /// A default list of middleware: ``standard(authorization:cookies:logger:)`` without options.
  public static var standard: [any Middleware] { standard() }

  /// A default list of middleware: JSON, form and multipart encoding, decompression, JSON decoding, redirects and retries, and
  /// optionally cookies, authorization and logging. The first in the list handles a request first and its response last.
  ///
  ///     let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter(), middleware: .standard)
  ///
  /// Every status is a response; put ``FaradayMiddleware/ExpectStatus`` in front for errors. Each call makes a list with a
  /// ``FaradayMiddleware/RetryBudget`` of its own.
  ///
  /// - Parameters:
  ///   - authorization: credentials for the connection's own origin: ``FaradayMiddleware/Authorization``,
  ///     ``FaradayMiddleware/TokenRefresh``, or a middleware of your own. None by default.
  ///   - cookies: stores cookies; without it there are none.
  ///   - logger: logs each exchange as it is sent; without it nothing is logged.
  public static func standard(
    authorization: (any Middleware)? = nil, cookies: CookieJar? = nil, logger: Logger? = nil
  ) -> [any Middleware] {
    let list: [(any Middleware)?] = [
      // A value becomes bytes once, however often it is sent.
      EncodeJSON(),
      EncodeForm(),
      Multipart(),
      Decompress(),
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
