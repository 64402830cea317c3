// A program that imports this module has chosen its transport, and needs no other import to send a request.
@_exported public import FaradayCore

extension URLSessionAdapter {
  /// The adapter of connections that are created without an adapter, with the default configuration. All such connections of
  /// the process share its connection pool. It is created with the first of them, and is never released.
  public static let shared = URLSessionAdapter()
}

extension Connection {
  /// A connection over `URLSessionAdapter.shared` without base URL and without middleware: each request needs an absolute URL.
  ///
  ///     let response = try await Connection.shared.get("https://example.com/")
  ///
  /// If FaradayCurl and FaradayURLSession are both imported, `shared` is ambiguous. Use `Connection(adapter:)` then.
  public static let shared = Connection(adapter: URLSessionAdapter.shared)

  /// Creates a connection over `URLSessionAdapter.shared`, with an optional base URL, default headers and options, and
  /// middleware in the order in which it sees a request.
  public init(
    url: URL? = nil, joining: URLJoining = .resolve, headers: KeyValuePairs<String, String> = [:], defaults: Options = Options(),
    secrets: Secrets = Secrets(), middleware: [any Middleware] = []
  ) {
    self.init(
      url: url, joining: joining, headers: headers, defaults: defaults, secrets: secrets, adapter: URLSessionAdapter.shared,
      middleware: middleware)
  }

  /// Creates a connection over `URLSessionAdapter.shared` with the base URL in the string. Throws
  /// FaradayCore/TransportError/Code/invalidURL or FaradayCore/TransportError/Code/unsupportedScheme if the string is not an
  /// absolute `http` or `https` URL, and FaradayCore/InvalidValueError.
  public init(
    _ url: String, joining: URLJoining = .resolve, headers: KeyValuePairs<String, String> = [:], defaults: Options = Options(),
    secrets: Secrets = Secrets(), middleware: [any Middleware] = []
  ) throws {
    try self.init(
      url, joining: joining, headers: headers, defaults: defaults, secrets: secrets, adapter: URLSessionAdapter.shared,
      middleware: middleware)
  }
}
