public import FaradayCore

/// Alternative services (RFC 7838): learns from `Alt-Svc` at which other host and port the same resources are to be had, and
/// connects later requests there.
///
///     let store = AltSvcStore()
///     connection.use(.redirects())
///     connection.use(.alternativeServices(store))
///
/// Place it below ``Redirects``, ``Retry`` and ``HSTS``, so that it handles each redirect and each attempt by itself, with the URL
/// that is sent. The request keeps its URL, its `Host` and its origin, and the server's certificate must be valid for the origin's
/// host (section 2.1); only the connection goes elsewhere, by ``FaradayCore/Network/connectTo``, or uses HTTP/3. `Alt-Used` says so
/// (section 5).
///
/// - `Alt-Svc` counts only if it came over `https` from a server whose certificate was verified (``FaradayCore/TLS/verifiesServer``),
///   and not with a 421 (section 6).
/// - The first alternative whose protocol the adapter and the request can speak is used: `h3`, `h2` or `http/1.1`. With `h3` the request
///   is sent with ``FaradayCore/HTTPVersionPolicy/http3``, over an adapter with ``FaradayCore/Capabilities/http3``.
/// - Sent to its origin is a request that says itself where to connect, by ``FaradayCore/Network/connectTo``,
///   ``FaradayCore/Network/hostOverrides``, ``FaradayCore/Network/unixSocket`` or a proxy of its own, one whose body can be read only once, and every request over an adapter
///   without ``FaradayCore/Capabilities/otherAddresses``. A proxy of the adapter or of the environment is asked for the alternative.
/// - An alternative to which no connection can be made, for want of a valid certificate too, and one that answers 421 (Misdirected
///   Request) is rejected: see ``AltSvcStore/reject(_:for:)``. The request is then sent to its origin, with each timeout anew; but not
///   if the total timeout has expired, which ends it.
/// - An `h3` alternative that answers over TCP is rejected too, because UDP is blocked; its response is returned.
public struct AlternativeServices: Middleware {
  /// The alternatives that were learned.
  public let store: AltSvcStore

  /// - Parameter store: may be shared with other connections, and be read from a file and written to one. By default a new, empty
  ///   one, which lives as long as the copies of this middleware.
  public init(_ store: AltSvcStore = AltSvcStore()) { self.store = store }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard let (alternative, moved) = moved(request, next.capabilities) else {
      return learning(from: try await next(request), to: request)
    }
    do {
      let response = try await next(moved)
      guard response.status == .misdirectedRequest else {
        defer { if alternative.isHTTP3, response.version.major < 3 { store.reject(alternative, for: request.url) } }
        return learning(from: response, to: request)
      }
      await response.body.discard()
      store.reject(alternative, for: request.url)
    } catch let error as TransportError where error.isOfConnecting {
      store.reject(alternative, for: request.url)
      if error.code == .totalTimeout { throw error }
    }
    return learning(from: try await next(request), to: request)
  }

  private func learning(from response: Response, to request: Request) -> Response {
    if request.options.tls.verifiesServer, response.status != .misdirectedRequest, let field = response.headers[.altSvc] {
      let age = response.headers[.age].flatMap { Int($0) } ?? 0
      store.receive(field, from: response.url, version: response.version, age: age)
    }
    return response
  }

  /// The request as it is sent to an alternative; nil if it goes to its origin.
  private func moved(_ request: Request, _ capabilities: Capabilities) -> (AltSvcStore.Alternative, Request)? {
    let options = request.options
    // What can be sent only once is not risked on a server that may not be there.
    guard request.body.isReplayable, options.tls.verifiesServer, capabilities.contains(.otherAddresses),
      options.network.connectTo.isEmpty, options.network.hostOverrides.isEmpty, options.network.unixSocket == nil,
      !options.proxy.isOwn,
      let place = AltSvcStore.place(of: request.url), let endpoint = try? Target(request).endpoint,
      let alternative = store.alternatives(for: request.url).first(where: { options.canSpeak($0.protocolID, capabilities) }),
      // The origin may be an alternative itself, and be preferred to others.
      alternative.host != place.host || alternative.port != place.port || alternative.isHTTP3
    else { return nil }
    var moved = request
    if alternative.isHTTP3 { moved.options.httpVersion = .http3 }
    if alternative.host != place.host || alternative.port != place.port {
      // For this origin only: a middleware further down may send to another.
      moved.options.network.connectTo = [
        ConnectTo(host: endpoint.host, port: endpoint.port, toHost: alternative.host, toPort: alternative.port)
      ]
    }
    moved.headers[.altUsed] = "\(alternative.host.bracketedHost):\(alternative.port)"
    return (alternative, moved)
  }
}

extension AltSvcStore.Alternative {
  fileprivate var isHTTP3: Bool { protocolID == "h3" }
}

extension Options {
  /// Whether the protocol of that name can be spoken.
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
  /// Whether it is one that the request names.
  fileprivate var isOwn: Bool { if case .proxy = self { true } else { false } }
}

extension TransportError {
  /// Whether no connection to the server could be made, so that nothing was sent, and not for want of something at this end.
  fileprivate var isOfConnecting: Bool {
    let ours: Set<Code> = [.queueFull, .queueTimeout, .outOfDescriptors, .invalidCA, .invalidClientCertificate, .engineFailed]
    return [.resolving, .connecting, .tls].contains(phase) && !ours.contains(code)
  }
}

extension Middleware where Self == AlternativeServices {
  /// Learns alternative services, and connects to them. See ``FaradayMiddleware/AlternativeServices``.
  public static func alternativeServices(_ store: AltSvcStore = AltSvcStore()) -> Self { Self(store) }
}
