@_spi(Adapters) public import FaradayCore

/// Connects requests to alternative services (RFC 7838): learns from `Alt-Svc` fields which other hosts and ports serve the
/// same resources, and connects later requests there.
///
///     let store = AlternativeServiceStore()
///     connection.use(.redirects())
///     connection.use(.alternativeServices(store))
///
/// Place it below ``Redirects``, ``Retry``, ``HSTS`` and a cache, so that it handles each redirect and each attempt separately,
/// with the URL that is sent. The request keeps its URL, its `Host` and its origin, and the server's certificate must be valid
/// for the origin's host (section 2.1). Only the connection changes: it goes to another address
/// (``FaradayCore/Network/connectTo``) or uses HTTP/3. The `Alt-Used` field names the alternative (section 5).
///
/// - `Alt-Svc` counts only if it came over `https` from a server whose certificate was verified
///   (``FaradayCore/TLS/verifiesServer``). It is ignored in a 421 response (section 6).
/// - The first alternative whose protocol the adapter and the request support is used: `h3`, `h2` or `http/1.1`. With `h3` the
///   request is sent with ``FaradayCore/HTTPVersionPolicy/http3``, over an adapter with ``FaradayCore/Capabilities/http3``.
/// - These requests are sent to their origin: a request with its own connection settings (``FaradayCore/Network/connectTo``,
///   ``FaradayCore/Network/hostOverrides``, ``FaradayCore/Network/unixSocket`` or a proxy), a request whose body can be read
///   only once, and every request over an adapter without ``FaradayCore/Capabilities/otherAddresses``. A proxy of the adapter
///   or of the environment connects to the alternative.
/// - An alternative is ignored for five minutes if no connection to it can be made (an invalid certificate included), or if it
///   returns 421 (Misdirected Request). The request is then sent to its origin, and each timeout starts again. An expired total
///   timeout ends the request instead.
/// - An `h3` alternative that responds with another version of HTTP is ignored too (section 2.4); its response is returned. It
///   responds over TCP if UDP is blocked. An `h2` alternative may respond with HTTP/1.1: libcurl before 8.4 sends some requests
///   only so.
public struct AlternativeServices: Middleware {
  /// The store of the learned alternatives.
  public let store: AlternativeServiceStore

  /// - Parameter store: can be shared with other connections, and read from and written to a file. By default a new, empty
  ///   store, which lives as long as the copies of this middleware.
  public init(_ store: AlternativeServiceStore = AlternativeServiceStore()) { self.store = store }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard let (alternative, moved) = moved(request, next.capabilities) else {
      return try await learning(from: request, next)
    }
    let sent = SentRequest()
    do {
      let response = try await learning(from: moved.recorded(in: sent), next)
      guard response.status == .misdirectedRequest else {
        // A cache below can respond, also with an older version.
        let isOverTCP = alternative.isHTTP3 && sent.wasSent && response.version.major != 3
        if isOverTCP { store.reject(alternative, for: request.url) }
        return response
      }
      await response.body.discard()
      store.reject(alternative, for: request.url)
    } catch let error as TransportError where error.isOfConnecting && !sent.mayHaveArrived {
      store.reject(alternative, for: request.url)
      if error.code == .totalTimeout { throw error }
    }
    return try await learning(from: request, next)
  }

  /// Sends the request, and learns from its response, also from that of an error.
  private func learning(from request: Request, _ next: Next) async throws -> Response {
    do {
      let response = try await next(request)
      learn(from: response, to: request)
      return response
    } catch {
      if let response = (error as? any FaradayError)?.response { learn(from: response, to: request) }
      throw error
    }
  }

  private func learn(from response: Response, to request: Request) {
    guard request.options.tls.verifiesServer, response.status != .misdirectedRequest, let field = response.headers[.altSvc] else {
      return
    }
    let age = response.headers[.age].flatMap { Int($0) } ?? 0
    store.receive(field, from: response.url, version: response.version, age: age)
  }

  /// Returns the request for an alternative; nil if the request goes to its origin.
  private func moved(_ request: Request, _ capabilities: Capabilities) -> (AlternativeServiceStore.Alternative, Request)? {
    let options = request.options
    // A request that can be sent only once must not be risked on a server that may be unreachable. An upgrade and trailers need
    // HTTP/1.1.
    guard request.body.isReplayable, options.upgrade == nil, options.requestTrailers == nil, options.tls.verifiesServer,
      capabilities.contains(.otherAddresses), options.network.connectTo.isEmpty,
      options.network.hostOverrides.isEmpty, options.network.unixSocket == nil,
      !options.proxy.isOwn,
      let place = AlternativeServiceStore.place(of: request.url), let endpoint = try? Target(request).endpoint,
      let alternative = store.alternatives(for: request.url).first(where: { options.canSpeak($0.protocolID, capabilities) }),
      // The origin can list itself as an alternative, and prefer it to others.
      alternative.host != place.host || alternative.port != place.port || alternative.isHTTP3
    else { return nil }
    var moved = request
    if alternative.isHTTP3 { moved.options.httpVersion = .http3 }
    if alternative.host != place.host || alternative.port != place.port {
      // For this origin only: a middleware below may send the request to another origin.
      moved.options.network.connectTo = [
        ConnectTo(host: endpoint.host, port: endpoint.port, toHost: alternative.host, toPort: alternative.port)
      ]
    }
    moved.headers[.altUsed] = "\(alternative.host.bracketedHost):\(alternative.port)"
    return (alternative, moved)
  }
}

extension AlternativeServiceStore.Alternative {
  fileprivate var isHTTP3: Bool { protocolID == "h3" }
}

extension Options {
  /// Whether the request and the adapter support the protocol.
  fileprivate func canSpeak(_ protocolID: String, _ capabilities: Capabilities) -> Bool {
    switch protocolID {
    case "h3": capabilities.contains(.http3) && tls.negotiatesProtocol && [.automatic, .http3].contains(httpVersion)
    case "h2": capabilities.contains(.http2) && tls.negotiatesProtocol && [.automatic, .http2].contains(httpVersion)
    case "http/1.1": [.automatic, .http1, .http2].contains(httpVersion)
    default: false
    }
  }
}

extension ProxySelection {
  /// Whether the request names the proxy itself.
  fileprivate var isOwn: Bool { if case .proxy = self { true } else { false } }
}

extension TransportError {
  /// Whether no connection to the server could be made, so that nothing was sent. Local failures are excluded.
  fileprivate var isOfConnecting: Bool {
    let ours: Set<Code> = [.queueFull, .queueTimeout, .outOfDescriptors, .invalidCA, .invalidClientCertificate, .engineFailed]
    return isBeforeSending && !ours.contains(code)
  }
}

extension Middleware where Self == AlternativeServices {
  /// Learns alternative services, and connects to them. See ``FaradayMiddleware/AlternativeServices``.
  public static func alternativeServices(_ store: AlternativeServiceStore = AlternativeServiceStore()) -> Self { Self(store) }
}
