internal import Foundation

/// A real haproxy, a reverse proxy with TLS, HTTP/1.1 and HTTP/2, on 127.0.0.1, with a self-signed certificate. It must be installed.
///
/// It ends with this process, even if that crashes. Thread-safe.
package final class HAProxyServer: Sendable {
  package let port: Int
  private let folder: String
  private let shell: HeldShell

  /// The path of its self-signed certificate, for `TLS.caFile`.
  package var caFile: String { folder + "/cert.pem" }
  /// `https://localhost:PORT/`.
  package var url: String { "https://localhost:\(port)/" }

  /// Starts it. Throws `ServerNotStarted`.
  ///
  /// - Parameter upstream: the port of the server on 127.0.0.1 that it passes requests on to.
  package init(upstream: Int) throws {
    let folder = try HeldShell.makeFolder(for: "haproxy")
    (shell, port) = try HeldShell.onFreePorts(in: 9000..<10_000, count: 1) { ports in
      let text = Self.configuration(port: ports[0], upstream: upstream)
      try Data(text.utf8).write(to: URL(filePath: folder + "/haproxy.cfg"))
      return (try HeldShell("haproxy", script: Self.script, folder: folder, until: "Loading success"), ports[0])
    }
    self.folder = folder
  }

  /// Stops it at once.
  package func stop() { shell.stop() }

  /// Replaces the worker process. The old one sends GOAWAY to its connections, completes their streams, and ends.
  package func reload() throws {
    try ChildProcess("/bin/sh", ["-c", "kill -USR2 $(cat \(folder)/master)"]).wait()
  }

  // The master starts itself again for a reload, as the same process. It forgets a SIGTERM that comes in between, so it is killed; its
  // workers end when they see that.
  private static let script = """
    cat cert.pem key.pem >both.pem
    # Without the server there is nothing to wait for.
    ( sh -c 'echo $$ >master; exec haproxy -W -f haproxy.cfg'
      kill $$ ) &
    read -r _
    trap '' TERM
    kill -KILL $(cat master) 2>/dev/null
    wait
    cd / && rm -rf "$1"
    """

  private static func configuration(port: Int, upstream: Int) -> String {
    """
    defaults
      mode http
      timeout connect 10s
      timeout client 60s
      timeout server 60s
    frontend front
      bind 127.0.0.1:\(port) ssl crt both.pem alpn h2,http/1.1
      default_backend back
    backend back
      server upstream 127.0.0.1:\(upstream)

    """
  }
}
