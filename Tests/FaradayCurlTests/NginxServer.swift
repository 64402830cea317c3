import FaradayTesting
import Foundation
import Synchronization

/// A real nginx with TLS and HTTP/2 on the loopback interface, with a certificate made for it.
///
/// It ends with this process, however that ends: a shell waits for the end of a pipe that only this process holds.
final class NginxServer: Sendable {
  static let shared = Result { try NginxServer() }

  let port: Int
  let tlsPort: Int
  let folder: String
  private let shell: Mutex<ChildProcess?>

  /// Its own certificate, which is also the authority that vouches for it.
  var caFile: String { folder + "/cert.pem" }
  var url: String { "https://localhost:\(tlsPort)/" }

  struct CannotStart: Error, CustomStringConvertible {
    let output: String
    var description: String { "nginx did not start (Scripts/setup installs it): \(output)" }
  }

  /// - Parameter upstream: the port of a server that it passes `/upstream/` on to.
  init(upstream: Int = 9) throws {
    folder = FileManager.default.temporaryDirectory.path + "/faraday-nginx-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
    // nginx cannot be asked for any free port. These are not given out by the kernel, so only another test can be faster.
    var attempts = 0
    while true {
      let ports = (Int.random(in: 10_000..<20_000), Int.random(in: 20_000..<30_000))
      do {
        shell = Mutex(try Self.start(in: folder, ports: ports, upstream: upstream))
        (port, tlsPort) = ports
        return
      } catch let error as CannotStart where error.output.contains("Address already in use") && attempts < 20 {
        attempts += 1
      }
    }
  }

  private static func start(in folder: String, ports: (Int, Int), upstream: Int) throws -> ChildProcess {
    try configuration(port: ports.0, tlsPort: ports.1, upstream: upstream)
      .write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    let shell = try ChildProcess("/bin/sh", ["-c", script, "sh", folder])
    var said = ""
    while !said.contains("ready\n") {
      let more = shell.read()
      guard !more.isEmpty else { throw CannotStart(output: said) }
      said += String(decoding: more, as: UTF8.self)
    }
    return shell
  }

  deinit { stop() }

  /// Stops it at once: connections are closed in the middle of what they were doing.
  func stop() {
    shell.withLock { shell in
      shell?.closeInput()
      shell?.wait()
      shell = nil
    }
  }

  /// Kills the process that serves, so that nobody says goodbye on its connections. Another takes its place.
  func killWorker() throws {
    try ChildProcess("/bin/sh", ["-c", "kill -9 $(cat /proc/$(cat \(folder)/nginx.pid)/task/*/children)"]).wait()
  }

  // nginx returns when its daemon listens.
  private static let script = """
    exec 2>&1
    PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin
    cd "$1" &&
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem 2>openssl.log &&
    { nginx -p "$1" -c nginx.conf -e error.log || exit 1; } &&
    echo ready &&
    read -r _
    nginx -p "$1" -c nginx.conf -e error.log -s stop 2>/dev/null
    cd / && rm -rf "$1"
    """

  private static func configuration(port: Int, tlsPort: Int, upstream: Int) -> String {
    """
    \(geteuid() == 0 ? "user root;" : "")
    worker_processes 1;
    pid nginx.pid;
    events { worker_connections 1024; }
    http {
      access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
      client_max_body_size 0;
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
      }
    }
    """
  }
}
