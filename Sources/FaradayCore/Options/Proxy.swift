/// A proxy: its protocol, address, credentials, and how requests are sent through it.
///
///     request.options.proxy = .proxy(try Proxy("socks5h://user:password@localhost:1080"))
///
/// Requests share connections if their proxies are equal. The ``headers`` of requests that a proxy forwards may differ.
public struct Proxy: Sendable, Hashable {
  /// The protocol that is spoken with the proxy.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP/1.1: http requests are forwarded, https and ``Proxy/tunnels`` use CONNECT.
    case http
    /// HTTP/1.1 over TLS. Such connections are not kept.
    case https
    /// SOCKS 4: the client resolves the host name, IPv4 only.
    case socks4
    /// SOCKS 4a: the proxy resolves the host name.
    case socks4a
    /// SOCKS 5 (RFC 1928): the client resolves the host name.
    case socks5
    /// SOCKS 5: the proxy resolves the host name.
    case socks5h

    package var isSOCKS: Bool { self != .http && self != .https }
  }

  /// The protocol.
  public var scheme: Scheme
  /// The host name or address; IPv6 in brackets or without.
  public var host: String
  /// The port; nil is that of the scheme: 443 for https, otherwise 1080, as with curl.
  public var port: Int?
  /// The user name; nil for none.
  public var user: String?
  /// The password.
  public var password: String?
  /// How user and password are sent to an HTTP proxy: ``AuthenticationSchemes/basic`` by default. SOCKS 5 sends them in clear (RFC
  /// 1929), SOCKS 4 the user only.
  public var authentication = AuthenticationSchemes.basic
  /// Whether an http request goes through a tunnel (CONNECT) too, as https always does; false by default.
  public var tunnels = false
  /// Header fields for the proxy only: of the CONNECT request, or of a forwarded request. Empty by default.
  public var headers = HTTPFields()
  /// Hosts that are connected to directly: `example.com` with all its subdomains, an address, a range as `10.0.0.0/8` or `fd00::/8`,
  /// or `*` for all. Empty by default.
  public var exceptions: [String] = []
  /// TLS options of the connection to an ``Scheme/https`` proxy: its authorities, verification, client certificate, versions,
  /// ciphers and pins. Session resumption, ALPN and the report of certificates are the request's. With another scheme they must be
  /// the default: there is no TLS with such a proxy, and the request fails with ``TransportError/Code/invalidOption``.
  public var tls = TLS()

  /// A proxy by its parts.
  public init(_ scheme: Scheme, host: String, port: Int? = nil, user: String? = nil, password: String? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  /// A proxy by its URL: `http://host:port`, `socks5h://user:password@host`; without a scheme it is http. User and password may be
  /// percent-encoded. Throws ``InvalidProxy``.
  public init(_ url: String) throws {
    let text = url.contains("://") ? url : "http://" + url
    let parts = URLParts(text)
    let name = parts.start.dropLast(3).lowercased()
    guard let scheme = Scheme(rawValue: name == "socks" ? "socks4" : name) else { throw InvalidProxy(url, "an unknown scheme") }
    guard parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
    else { throw InvalidProxy(url, "more than a scheme, user, host and port") }
    let (host, port) = Self.split(parts.host)
    guard Self.isHost(host), port != .some(nil) else {
      throw InvalidProxy(url, "no valid host, or a port that is not a number from 1 to 65535")
    }
    self.init(scheme, host: host, port: port ?? nil)
    guard !parts.user.isEmpty else { return }
    let login = parts.user.utf8.dropLast()  // The `@`.
    let user = login.prefix { $0 != UInt8(ascii: ":") }
    self.user = QueryParameters.decode(String(decoding: user, as: UTF8.self))
    if user.count < login.count {
      password = QueryParameters.decode(String(decoding: login.dropFirst(user.count + 1), as: UTF8.self))
    }
  }

  /// The host, and the port: nil if there is none, `.some(nil)` if it is not one.
  private static func split(_ authority: Substring) -> (host: String, port: Int??) {
    let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[bracket...].lastIndex(of: ":") else { return (String(authority), nil) }
    let digits = authority[authority.index(after: colon)...]
    let port = digits.utf8.allSatisfy(\.isDigit) ? Int(digits).flatMap { (1...65_535).contains($0) ? $0 : nil } : nil
    return (String(authority[..<colon]), .some(port))
  }

  /// Whether the host, IPv6 in brackets or without, is one of the ``exceptions``.
  package func excepts(_ host: String) -> Bool {
    guard !exceptions.isEmpty else { return false }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return NoProxy(exceptions.joined(separator: ",")).contains(isBracketed ? String(host.dropFirst().dropLast()) : host)
  }

  /// The URL without user and password.
  package var url: String {
    "\(scheme.rawValue)://\(host.bracketedHost)" + (port.map { ":\($0)" } ?? "")
  }
}

/// Which proxy a request uses.
public enum ProxySelection: Sendable, Hashable {
  /// The adapter's: by default that of the environment.
  case automatic
  /// None.
  case direct
  /// This one.
  case proxy(Proxy)
}

/// The URL of a proxy is not one. The description has no password.
public struct InvalidProxy: FaradayError {
  /// The URL, redacted.
  public let url: String
  /// What is wrong with it.
  public let reason: String

  init(_ url: String, _ reason: String) {
    self.url = Secrets().redacting(urlText: url).bounded()
    self.reason = reason
  }

  public var description: String { "\(url) is not the URL of a proxy: it has \(reason)" }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `http://host:port`, without user, password and headers.
  public var description: String { url.bounded() }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
