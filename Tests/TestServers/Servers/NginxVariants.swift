private import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A real nginx that listens on many ports of the loopback interface, each in another way: with certificates that a client
/// should refuse, with one version of TLS, with client certificates, with HTTP/2 in clear text, and on a Unix domain socket.
/// It must be installed.
///
/// It responds to every request with the properties of the connection: see ``fields(of:)``. It ends with this process, even
/// after a crash. Thread-safe.
package final class NginxVariants: Sendable {
  /// A shared server, which tests must not change.
  package static let shared = Result { try NginxVariants() }

  /// A way to listen. The default is a valid certificate and TLS 1.2 or 1.3.
  package enum Variant: String, CaseIterable, Sendable {
    /// HTTP/1.1 without TLS.
    case plain
    /// HTTP/2 without TLS, with prior knowledge. Before 1.25.1 nginx understands nothing else there.
    case cleartextHTTP2
    /// HTTP/1.1 or, if offered by ALPN, 2.
    case valid
    case expired, otherName, revoked, chain, incompleteChain, selfSigned
    /// TLS 1.1 and no other version, with ciphers that OpenSSL allows only in security level 0.
    case tls11
    case tls12
    case tls13
    /// TLS 1.3 with early data (0-RTT).
    case earlyData
    /// A client certificate of ``TestCertificates/clientAuthority`` is needed: without one, or with another, the status is 400.
    case clientCertificate
  }

  /// The certificates that it has.
  package let certificates: TestCertificates
  /// The path of the socket on which it speaks HTTP/1.1 without TLS.
  package let socket: String
  /// The path of the socket on which it speaks it with TLS.
  package let tlsSocket: String
  private let ports: [Variant: Int]
  private let shell: HeldShell

  /// Starts it. Throws ``ServerNotStarted``.
  package init() throws {
    let certificates = try TestCertificates.shared.get()
    let folder = try HeldShell.makeFolder(for: "nginx")
    (shell, ports) = try HeldShell.onFreePorts(in: 10_000..<25_000, count: Variant.allCases.count) { numbers in
      let ports = Dictionary(uniqueKeysWithValues: zip(Variant.allCases, numbers))
      let text = Self.configuration(ports, folder: folder, certificates)
      try Data(text.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
      return (try HeldShell("nginx", script: NginxServer.script, folder: folder, until: "ready\n"), ports)
    }
    self.certificates = certificates
    socket = folder + "/http.sock"
    tlsSocket = folder + "/https.sock"
  }

  /// Stops it at once, without completing responses.
  package func stop() { shell.stop() }

  /// The port of the variant, on 127.0.0.1 and 127.0.0.2.
  package func port(_ variant: Variant) -> Int { ports[variant] ?? 0 }

  /// `https://localhost:PORT/`, without TLS `http:`.
  package func url(_ variant: Variant) -> String {
    "\(variant.certificate == nil ? "http" : "https")://localhost:\(port(variant))/"
  }

  /// The fields in the body of a response. Absent ones are empty.
  ///
  /// - `protocol`, `cipher`, `alpn`, `name` (from SNI), `reused` (`r` or `.`): of TLS
  /// - `verified` (`SUCCESS`, `NONE`), `subject`, `fingerprint`: the client's certificate
  /// - `http` (`HTTP/1.1`), `request` (method and target), `host`
  /// - `remote`, `port`: the client's address and port; `connection`: the number of the connection; `requests`: how many were on it
  package static func fields(of body: String) -> [String: String] {
    let pairs = body.split(separator: "\n").map { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts.count > 1 ? parts[1] : ""))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private static let body = [
    "protocol=$ssl_protocol", "cipher=$ssl_cipher", "alpn=$ssl_alpn_protocol", "name=$ssl_server_name",
    "reused=$ssl_session_reused", "verified=$ssl_client_verify", "subject=$ssl_client_s_dn",
    "fingerprint=$ssl_client_fingerprint", "http=$server_protocol", "request=$request_method $request_uri", "host=$http_host",
    "remote=$remote_addr", "port=$remote_port", "connection=$connection", "requests=$connection_requests",
  ].map { $0 + "\n" }.joined()

  private static func configuration(_ ports: [Variant: Int], folder: String, _ certificates: TestCertificates) -> String {
    let servers = ports.map { variant, port in
      let kind = variant.listening
      return """
          server {
            listen 127.0.0.1:\(port)\(kind); listen 127.0.0.2:\(port)\(kind);
            \(variant == .plain ? "listen unix:\(folder)/http.sock;" : "")
            \(variant == .valid ? "listen unix:\(folder)/https.sock ssl;" : "")
            \(variant.certificate.map { "ssl_certificate \(certificates.server($0));" } ?? "")
            \(variant.settings(certificates))
            location / { return 200 "\(body)"; }
          }

        """
    }
    return """
      \(geteuid() == 0 ? "user root;" : "")
      worker_processes 1;
      pid nginx.pid;
      events { worker_connections 1024; }
      http {
        access_log off;
        default_type text/plain;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
        ssl_certificate_key \(certificates.serverKey);
        ssl_session_cache shared:tests:1m;
        ssl_protocols TLSv1.2 TLSv1.3;
      \(servers.joined())
      }

      """
  }
}

extension NginxVariants.Variant {
  fileprivate var certificate: TestCertificates.Server? {
    switch self {
    case .plain, .cleartextHTTP2: nil
    case .expired: .expired
    case .otherName: .otherName
    case .revoked: .revoked
    case .chain: .chain
    case .incompleteChain: .incompleteChain
    case .selfSigned: .selfSigned
    case .valid, .tls11, .tls12, .tls13, .earlyData, .clientCertificate: .valid
    }
  }

  fileprivate var listening: String {
    switch self {
    case .plain: ""
    case .cleartextHTTP2: " http2"
    default: " ssl http2"
    }
  }

  fileprivate func settings(_ certificates: TestCertificates) -> String {
    switch self {
    case .tls11: "ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;"
    case .tls12: "ssl_protocols TLSv1.2;"
    case .tls13: "ssl_protocols TLSv1.3;"
    case .earlyData: "ssl_protocols TLSv1.3; ssl_early_data on;"
    case .clientCertificate: "ssl_client_certificate \(certificates.clientAuthority); ssl_verify_client on;"
    default: ""
    }
  }
}
