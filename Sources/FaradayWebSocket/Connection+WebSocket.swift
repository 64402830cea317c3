public import FaradayCore

extension Connection {
  /// Opens a WebSocket (RFC 6455).
  ///
  ///     let socket = try await connection.webSocket("chat", protocols: ["v2"])
  ///     try await socket.send("hello")
  ///     for try await message in socket { print(message) }
  ///
  /// The handshake is a GET request that passes the connection's middleware: it has the connection's header fields, cookies
  /// and credentials, and follows redirects if a middleware does. It has no total timeout and no minimum rate unless `edit`
  /// sets one, which then limits the life of the WebSocket; the connect and idle timeouts apply until the response. The URL's
  /// scheme is `http` or `https`; in a whole URL, `ws` and `wss` mean the same.
  ///
  /// Needs an adapter with ``FaradayCore/Capabilities/upgrade``, such as `CurlAdapter`, and HTTP/1.1. Throws
  /// ``FaradayCore/StatusError`` if the server answers with another status than 101, ``FaradayWebSocket/WebSocketError`` if its
  /// answer is invalid, and ``FaradayCore/TransportError``.
  ///
  /// - Parameters:
  ///   - path: the arguments `path`, `variables`, `query`, `headers` and `edit` are those of `request`.
  ///   - protocols: the subprotocols that the client speaks, the preferred one first.
  ///     ``FaradayWebSocket/WebSocket/subprotocol`` is the server's choice.
  ///   - configuration: limits, pings and compression.
  public func webSocket(
    _ path: some URLReference = "", protocols: [String] = [], variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:],
    configuration: WebSocket.Configuration = WebSocket.Configuration(), edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> WebSocket {
    let request = try webSocketRequest(path, variables: variables, query: query, headers: headers, edit: edit)
    return try await open(request, protocols, configuration)
  }

  /// The request of a handshake, without the fields that are different for each handshake.
  func webSocketRequest(
    _ path: some URLReference, variables: [String: any ParameterValue]?, query: QueryParameters,
    headers: KeyValuePairs<String, String>, edit: (inout Request) throws -> Void
  ) throws -> Request {
    let url = Self.withHTTPScheme(path.urlReference)
    return try request(.get, url, variables: variables, query: query, headers: headers) { request in
      request.options.delivery = .streamed
      // They would limit the life of the WebSocket.
      (request.options.timeouts.total, request.options.timeouts.totalExcludingQueue) = (nil, nil)
      request.options.rates.minimum = nil
      request.options.decompression = nil
      try edit(&request)
      guard request.options.onChunk == nil else {
        throw TransportError(.invalidOption, building: request, "onChunk would take the bytes of the WebSocket")
      }
    }
  }

  /// Sends the handshake, and returns the open socket.
  func open(_ request: Request, _ protocols: [String], _ configuration: WebSocket.Configuration) async throws -> WebSocket {
    let handshake = OpeningHandshake(protocols: protocols, compresses: configuration.compresses)
    let outbox = Outbox(minimumCompressedSize: configuration.minimumCompressedSize)
    var request = request
    try handshake.apply(to: &request, frames: outbox.body)
    let response = try await send(request)
    guard response.status == .switchingProtocols else { throw try await StatusError(response, to: request).withBody() }
    let agreement: OpeningHandshake.Agreement
    do { agreement = try handshake.agreement(in: response) } catch { throw WebSocketError(error.reason, request) }
    if let deflation = agreement.compression?.deflation { outbox.compress(by: deflation) }
    let session = Session(outbox, configuration, RequestSummary(request))
    session.start(reading: response.body, agreement.compression)
    return WebSocket(session, subprotocol: agreement.subprotocol, headers: response.headers)
  }

  /// The URL with the scheme `http` for `ws`, and `https` for `wss`.
  package static func withHTTPScheme(_ url: String) -> String {
    for (name, scheme) in [("ws://", "http://"), ("wss://", "https://")] where url.lowercased().hasPrefix(name) {
      return scheme + url.dropFirst(name.count)
    }
    return url
  }
}
