private import FaradayCore

/// A real squid, an HTTP proxy that caches nothing, on the loopback interface: for requests, for tunnels (CONNECT) to any port, and
/// with TLS to the proxy itself. It must be installed.
///
/// It knows the names `localhost` and ``name``, both 127.0.0.1, and asks no DNS server. It starts in about 0.2 s, and ends with this
/// process, even if that crashes. Thread-safe.
package final class SquidProxy: Sendable {
  /// Which credentials it asks for.
  package enum Authentication: String, CaseIterable, Sendable {
    case none, basic, digest
    /// Whatever the user and the password are: it does the handshake, and believes everybody.
    case ntlm
  }

  /// A request that was let through.
  package struct Passed: Equatable, Sendable {
    package let method: String
    /// The URL; of CONNECT the host and the port.
    package let target: String
    /// The authenticated user; nil without authentication.
    package let user: String?
    /// The field `X-Proxy` as the proxy got it, percent-encoded.
    package let marker: String?
    /// The field `User-Agent` as the proxy got it, percent-encoded.
    package let userAgent: String?
  }

  /// The user that it lets in.
  package static let user = "user"
  /// That user's password.
  package static let password = "password"
  /// A name that only squid resolves, to 127.0.0.1.
  package static let name = "behind-the-proxy.test"

  /// The port without TLS, on 127.0.0.1.
  package let port: Int
  /// The port with TLS, on 127.0.0.1.
  package let tlsPort: Int
  private let folder: String
  private let shell: HeldShell

  /// The path of its self-signed certificate, which is for `localhost` and 127.0.0.1.
  package var caFile: String { folder + "/cert.pem" }
  /// `http://127.0.0.1:PORT`.
  package var url: String { "http://127.0.0.1:\(port)" }
  /// `https://localhost:PORT`.
  package var tlsURL: String { "https://localhost:\(tlsPort)" }

  /// The requests that it let through. One is here before it is passed on, hence before there is a response to it.
  package var passed: [Passed] {
    guard let text = try? String(contentsOfFile: folder + "/passed", encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map { $0 == "-" ? nil : String($0) }
      guard words.count >= 5, let target = words[0], let method = words[1] else { return nil }
      return Passed(method: method, target: target, user: words[2], marker: words[3], userAgent: words[4])
    }
  }

  /// Starts it. Throws ``ServerNotStarted``.
  package init(_ authentication: Authentication = .none) throws {
    let folder = try HeldShell.makeFolder(for: "squid")
    try Data("127.0.0.1 localhost \(Self.name)\n".utf8).write(to: URL(filePath: folder + "/hosts"))
    (shell, port, tlsPort) = try HeldShell.onFreePorts(in: 5_000..<8_000, count: 2) { ports in
      let text = Self.configuration(folder: folder, port: ports[0], tlsPort: ports[1], authentication)
      try Data(text.utf8).write(to: URL(filePath: folder + "/configuration"))
      return (try HeldShell("squid", script: Self.script, folder: folder, until: "ready\n"), ports[0], ports[1])
    }
    self.folder = folder
  }

  /// Stops it at once.
  package func stop() { shell.stop() }

  // If one of its ports is taken it would go on with the other. Its shared memory is named after it, and would stay.
  private static let script = """
    for helpers in /usr/lib/squid /usr/lib64/squid /opt/homebrew/opt/squid/libexec /usr/local/opt/squid/libexec; do
      [ -d $helpers ] && break
    done
    sed "s,HELPERS,$helpers," configuration >squid.conf
    echo "user:$(openssl passwd -apr1 password)" >basic
    echo user:password >digest
    echo 'while read -r line; do printf "%s\\n" "$line" >>passed; echo ERR; done' >record
    # Started by root it becomes another user.
    chmod -R a+rwX .
    squid -n faraday$$ -N -f "$1/squid.conf" -d 1 >log 2>&1 &
    until grep -q 'Accepting HTTPS\\|Cannot bind\\|FATAL' log || ! kill -0 $!; do sleep 0.02; done
    cat log
    grep -q 'Accepting HTTPS' log && echo ready && read -r _
    kill -KILL $!
    rm -f /dev/shm/faraday$$-*
    grep -q 'Accepting HTTPS' log || exit 1
    cd / && rm -rf "$1"
    """

  private static func configuration(
    folder: String, port: Int, tlsPort: Int, _ authentication: Authentication
  ) -> String {
    """
    http_port 127.0.0.1:\(port)
    https_port 127.0.0.1:\(tlsPort) tls-cert=\(folder)/cert.pem tls-key=\(folder)/key.pem
    visible_hostname squid.test
    cache deny all
    cache_log /dev/null
    access_log none
    netdb_filename none
    pid_filename none
    coredump_dir \(folder)
    pinger_enable off
    max_filedescriptors 1024
    hosts_file \(folder)/hosts
    dns_nameservers 127.0.0.1
    dns_timeout 1 second
    dns_retransmit_interval 50 milliseconds
    url_rewrite_program /bin/sh \(folder)/record
    url_rewrite_children 1 startup=1 idle=1 queue-size=10000
    url_rewrite_extras "%>rm %un %{X-Proxy}>h %{User-Agent}>h"
    \(authentication.configuration(folder: folder))
    http_access allow all

    """
  }
}

extension SquidProxy.Authentication {
  fileprivate func configuration(folder: String) -> String {
    let program: String
    switch self {
    case .none: return ""
    case .basic: program = "basic_ncsa_auth \(folder)/basic"
    case .digest: program = "digest_file_auth \(folder)/digest"
    case .ntlm: program = "ntlm_fake_auth"
    }
    return """
      auth_param \(rawValue) program HELPERS/\(program)
      auth_param \(rawValue) children 1 startup=1 idle=1
      \(self == .ntlm ? "" : "auth_param \(rawValue) realm proxy")
      acl known proxy_auth REQUIRED
      http_access deny !known
      """
  }
}
