import FaradayTesting
import Foundation
import TestServers

/// The servers of a comparison besides the recording one, which its shell knows by variables.
struct Peers: Sendable {
  /// The ports by their names in the shell and in the compared text.
  var ports: [String: Int] = [:]
  /// Other texts for the shell.
  var texts: [String: String] = [:]
  /// The requests that the servers received, which are compared too.
  var log: @Sendable () -> [String] = { [] }

  /// The shell's command that defines the variables.
  var exports: String {
    let all = texts.merging(ports.mapValues(String.init)) { text, _ in text }
    return all.isEmpty ? "" : "export " + all.map { "\($0)='\($1)'" }.sorted().joined(separator: " ")
  }

  /// The text without ports, and without properties of connections that differ between runs.
  func normalized(_ text: String) -> String {
    let names = Dictionary(ports.map { ($1, $0) }) { first, _ in first }
    return Replacement.all(Self.proxyPort, in: Replacement.all(Self.connections, in: text).replacing(numbers: names))
  }

  private static let connections = [Replacement("(?m)^(port|connection)=[0-9]+$", "a number")]
  private static let proxyPort = [Replacement("(PROXY TCP4 127\\.0\\.0\\.1 127\\.0\\.0\\.1) [0-9]+ ", "$1 NUMBER ")]
}

extension Peers {
  /// The nginx of many certificates: for each of its ways to listen `$VALID_URL`, its port `$VALID`, and so on; and the files of
  /// authorities and of clients.
  static func tls() throws -> Peers {
    let nginx = try NginxVariants.shared.get()
    let files = nginx.certificates
    var peers = Peers()
    for variant in NginxVariants.Variant.allCases {
      let name = variant.rawValue.uppercased()
      peers.ports[name] = nginx.port(variant)
      peers.texts[name + "_URL"] = nginx.url(variant)
    }
    let texts = [
      "CA": files.authority, "OTHER_CA": files.otherAuthority, "CA_FOLDER": files.authorityFolder,
      "CRL": files.revocations, "PIN": "sha256//" + files.serverPin, "OTHER_PIN": "sha256//" + files.otherPin,
      "PASSWORD": TestCertificates.password, "CERT": files.clientCertificate, "KEY": files.clientKey,
      "ENCRYPTED_KEY": files.clientEncryptedKey, "BOTH": files.clientCertificateAndKey,
      "BOTH_ENCRYPTED": files.clientCertificateAndEncryptedKey, "P12": files.clientPKCS12, "DER": files.clientCertificateDER,
      "DER_KEY": files.clientKeyDER, "STRANGER": files.strangerCertificate, "STRANGER_KEY": files.strangerKey,
      "SOCKET": nginx.socket, "TLS_SOCKET": nginx.tlsSocket,
    ]
    peers.texts.merge(texts) { $1 }
    return peers
  }

  /// SOCKS proxies of one comparison: `$SOCKS` lets in everybody, `$SOCKS_LOGIN` only anna with the password secret, and
  /// `$SOCKS_REFUSING` connects nobody.
  static func socks() throws -> Peers {
    let open = try SOCKSServer()
    let asking = try SOCKSServer(credentials: ("anna", "secret"))
    let refusing = try SOCKSServer(reply: 91)
    return Peers(
      ports: ["SOCKS": open.port, "SOCKS_LOGIN": asking.port, "SOCKS_REFUSING": refusing.port],
      log: { open.log.elements + asking.log.elements + refusing.log.elements })
  }

  /// Real proxies, without credentials `$SQUID` and `$SQUID_TLS_URL`, with them `$SQUID_BASIC`, `$SQUID_DIGEST` and
  /// `$SQUID_NTLM`; and the servers with TLS behind them.
  static func proxies() throws -> Peers {
    let proxies = try SharedProxies.all.get()
    var peers = try tls()
    for (authentication, proxy) in proxies {
      let name = authentication == .none ? "SQUID" : "SQUID_" + authentication.rawValue.uppercased()
      peers.ports[name] = proxy.port
      if authentication == .none {
        peers.ports["SQUID_TLS"] = proxy.tlsPort
        peers.texts.merge(["SQUID_TLS_URL": proxy.tlsURL, "SQUID_CA": proxy.caFile]) { $1 }
      }
    }
    return peers
  }

  /// A resolver over HTTPS that knows every name, `$RESOLVER_URL` with `$RESOLVER_CA`; and a server that sends the fields that it
  /// is asked for, `$TLS_URL` with `$TLS_CA`.
  static func stores() throws -> Peers {
    let server = try NginxServer.shared.get()
    let resolver = try SharedResolver.nginx.get()
    var peers = try tls()
    peers.ports.merge(["TLS": server.tlsPort, "RESOLVER": resolver.tlsPort]) { $1 }
    let texts = [
      "TLS_URL": server.url, "TLS_CA": server.caFile, "RESOLVER_URL": resolver.url + "upstream/dns-query",
      "RESOLVER_CA": resolver.caFile,
    ]
    peers.texts.merge(texts) { $1 }
    return peers
  }
}

/// The proxies of all comparisons, by their authentication scheme.
private enum SharedProxies {
  static let all = Result {
    try SquidProxy.Authentication.allCases.map { (authentication: $0, proxy: try SquidProxy($0)) }
  }
}

/// The resolver of all comparisons: every name is 127.0.0.1, and has no address of IPv6.
private enum SharedResolver {
  private static let server = Result {
    try RawServer { connection in
      while true {
        let request = RecordedRequest(try connection.readHead())
        let query = try connection.read(exactly: request.length ?? 0)
        let answer = Self.answer(to: query)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\nContent-Length: \(answer.count)\r\n\r\n"
        try connection.send(Array(head.utf8) + answer)
      }
    }
  }

  static let nginx = Result { try NginxServer(upstream: server.get().port) }

  /// The response to a message of DNS (RFC 1035) with one question.
  private static func answer(to query: [UInt8]) -> [UInt8] {
    guard query.count > 16 else { return [] }
    let isIPv4 = query.suffix(4) == [0, 1, 0, 1]
    let head = query[0..<2] + [0x81, 0x80, 0, 1, 0, isIPv4 ? 1 : 0, 0, 0, 0, 0]
    // A pointer to the name in the question, type A, class IN, a minute, four bytes.
    return head + query[12...] + (isIPv4 ? [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1] : [])
  }
}
