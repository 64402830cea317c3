/// A proxy: protocol, address, credentials, and rules for the requests through it.
///
///     request.options.proxy = .proxy(try Proxy("socks5h://user:password@localhost:1080"))
///
/// Requests share connections if their proxies are equal. The ``headers`` of requests that a proxy forwards may differ.
public struct Proxy: Sendable, Hashable {
  /// The protocol between the client and the proxy.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP/1.1: http requests are forwarded, https and ``Proxy/tunnels`` use CONNECT.
    case http
    /// HTTP/1.1 over TLS. These connections are not kept.
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
  /// The port; nil means the scheme's default: 443 for https, otherwise 1080, as with curl.
  public var port: Int?
  /// The user name; nil for none.
  public var user: String?
  /// The password.
  public var password: String?
  /// The authentication schemes for an HTTP proxy: ``AuthenticationSchemes/basic`` by default. SOCKS 5 sends user and password
  /// in clear text (RFC 1929), SOCKS 4 sends only the user.
  public var authentication = AuthenticationSchemes.basic
  /// Whether an http request goes through a tunnel (CONNECT) too, as https always does; false by default.
  public var tunnels = false
  /// Header fields for the proxy only: of the CONNECT request, or of a forwarded request. Empty by default.
  public var headers = HTTPFields()
  /// Hosts to connect to without the proxy: `example.com` with all its subdomains, an address, a range as `10.0.0.0/8` or
  /// `fd00::/8`, or `*` for all. Empty by default.
  public var exceptions: [String] = []
  /// TLS options of the connection to an ``Scheme/https`` proxy: its authorities, verification, client certificate, versions,
  /// ciphers and pins. Session resumption, ALPN and the report of certificates are options of the request. Any other scheme has
  /// no TLS to the proxy: these options must be the defaults, or the request fails with ``TransportError/Code/invalidOption``.
  public var tls = TLS()

  /// A proxy from its parts.
  public init(_ scheme: Scheme, host: String, port: Int? = nil, user: String? = nil, password: String? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  /// A proxy from its URL: `http://host:port`, `socks5h://user:password@host`; without a scheme it is http. User and password
  /// may be percent-encoded. Throws ``InvalidValueError``.
  public init(_ url: String) throws {
    let text = url.contains("://") ? url : "http://" + url
    let parts = URLParts(text)
    let name = parts.start.dropLast(3).lowercased()
    guard let scheme = Scheme(rawValue: name == "socks" ? "socks4" : name) else { throw Self.invalid(url, "an unknown scheme") }
    guard parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
    else { throw Self.invalid(url, "more than a scheme, user, host and port") }
    let (host, port) = Self.split(parts.host)
    guard Self.isHost(host), port != .some(nil) else {
      throw Self.invalid(url, "no valid host, or a port that is not a number from 1 to 65535")
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

  /// The host and the port. The port is nil if it is missing, and `.some(nil)` if it is invalid.
  private static func invalid(_ url: String, _ reason: String) -> InvalidValueError {
    InvalidValueError(.proxy, Secrets().redacting(urlText: url).bounded(), reason)
  }

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

/// The choice of the proxy for a request.
public enum ProxySelection: Sendable, Hashable {
  /// The adapter's proxy: by default the environment's.
  case automatic
  /// No proxy.
  case direct
  /// This proxy.
  case proxy(Proxy)
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `http://host:port`, without user, password and headers.
  public var description: String { url.bounded() }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
