private import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A real nginx with TLS and HTTP/2 on the loopback interface, with a self-signed certificate. It must be installed.
///
/// - `/connection` — which connection it is, and how many requests were on it
/// - `/session` — the version of TLS, and `r` if the session was resumed; closes
/// - `/upstream/` — passed on to another server, without buffering
/// - `/upgrade/` — passed on to that server, with an upgrade of the connection
///
/// Anything else is a file in its folder. It ends with this process, even if that crashes. Thread-safe.
package final class NginxServer: Sendable {
  /// A shared server, which tests must not change. Its upstream is a ``LocalServer``.
  package static let shared = Result { try NginxServer(upstream: SharedUpstream.port) }

  /// The port without TLS.
  package let port: Int
  /// The port with TLS, on 127.0.0.1 and, with the same certificate, on 127.0.0.2.
  package let tlsPort: Int
  /// The folder of its configuration and certificate.
  package let folder: String
  private let shell: HeldShell

  /// The path of its self-signed certificate, for ``FaradayCore/TLS/caFile``.
  package var caFile: String { folder + "/cert.pem" }
  /// `https://localhost:PORT/`.
  package var url: String { "https://localhost:\(tlsPort)/" }
  /// The folder of the files that it serves.
  package var files: String { folder + "/files" }

  /// Starts it. Throws ``ServerNotStarted``.
  ///
  /// - Parameters:
  ///   - upstream: the port of a server that it passes `/upstream/` on to.
  ///   - requests: how many requests it allows on a connection.
  package init(upstream: Int = 9, requests: Int = 1000) throws {
    let folder = try HeldShell.makeFolder(for: "nginx")
    try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
    (shell, port, tlsPort) = try HeldShell.onFreePorts(in: 10_000..<25_000, count: 2) { ports in
      let text = Self.configuration(port: ports[0], tlsPort: ports[1], upstream: upstream, requests: requests)
      try Data(text.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
      return (try HeldShell("nginx", script: Self.script, folder: folder, until: "ready\n"), ports[0], ports[1])
    }
    self.folder = folder
  }

  /// Stops it at once, without completing responses.
  package func stop() { shell.stop() }

  /// Kills the worker process, so that its connections are closed without a TLS close_notify or GOAWAY. nginx starts another. Linux
  /// only.
  package func killWorker() throws {
    try ChildProcess("/bin/sh", ["-c", "kill -9 $(cat /proc/$(cat \(folder)/nginx.pid)/task/*/children)"]).wait()
  }

  // nginx returns when its daemon listens, which is before that has written its process ID, and before it waits for signals: one that
  // comes in between is forgotten. So it is told to stop until it is gone, for five seconds at most.
  package static let script = """
    { nginx -p "$1" -c nginx.conf -e error.log || exit 1; } &&
    until [ -s nginx.pid ]; do sleep 0.01; done &&
    pid=$(cat nginx.pid) &&
    echo ready &&
    read -r _
    tries=0
    while kill "$pid" 2>/dev/null && [ $((tries += 1)) -lt 250 ]; do sleep 0.02; done
    cd / && rm -rf "$1"
    """

  private static func configuration(port: Int, tlsPort: Int, upstream: Int, requests: Int) -> String {
    """
    \(geteuid() == 0 ? "user root;" : "")
    worker_processes 1;
    pid nginx.pid;
    events { worker_connections 1024; }
    http {
      access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
      client_max_body_size 0;
      keepalive_requests \(requests);
      ssl_certificate cert.pem;
      ssl_certificate_key key.pem;
      ssl_session_cache shared:tests:1m;
      server {
        listen 127.0.0.1:\(port);
        listen 127.0.0.1:\(tlsPort) ssl http2;
        listen 127.0.0.2:\(tlsPort) ssl http2;
        root files;
        location /connection { return 200 "$connection $connection_requests"; }
        location /session { keepalive_timeout 0; return 200 "$ssl_protocol $ssl_session_reused"; }
        location /upstream/ {
          proxy_pass http://127.0.0.1:\(upstream)/;
          proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off;
          proxy_set_header Connection "";
        }
        location /upgrade/ {
          proxy_pass http://127.0.0.1:\(upstream)/;
          proxy_http_version 1.1;
          proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";
        }
      }
    }
    """
  }
}
