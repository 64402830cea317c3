internal import Foundation

/// A real caddy, a reverse proxy with TLS, HTTP/1.1, HTTP/2 and HTTP/3, on 127.0.0.1, with a self-signed certificate. It must be
/// installed.
///
/// - `/hello` — `Hello, world!`
/// - `/connection` — the address and port of the client: they tell connections apart
/// - `/files/` — the files in its folder
/// - `/encoded/` — the same, in zstd or gzip if the request accepts one of them and the file is a text of 512 bytes or more
///
/// Anything else is passed on to another server, without buffering. After a request with the query `last=1` it ends the connection
/// (GOAWAY in HTTP/2). Its responses have `Alt-Svc: h3=":PORT"`, if it speaks HTTP/3.
/// It ends with this process, even if that crashes. Thread-safe.
package final class CaddyServer: Sendable {
  /// Whether caddy is installed.
  package static let isInstalled: Bool = {
    let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    return folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/caddy") }
  }()

  /// The port of TCP, and of UDP if it speaks HTTP/3.
  package let port: Int
  private let folder: String
  private let shell: HeldShell

  /// The path of its self-signed certificate, for `TLS.caFile`.
  package var caFile: String { folder + "/cert.pem" }
  /// `https://localhost:PORT/`.
  package var url: String { "https://localhost:\(port)/" }
  /// The folder of the files that it serves.
  package var files: String { folder + "/files" }

  /// Starts it. Throws `ServerNotStarted`.
  ///
  /// - Parameters:
  ///   - upstream: the port of the server on 127.0.0.1 that it passes requests on to.
  ///   - protocols: the enabled protocols: `h1`, `h2`, `h3`.
  package init(upstream: Int = 9, protocols: [String] = ["h1", "h2", "h3"]) throws {
    let folder = try HeldShell.makeFolder(for: "caddy")
    try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
    (shell, port) = try HeldShell.onFreePorts(in: 32_000..<32_700, count: 1) { ports in
      let text = Self.configuration(port: ports[0], upstream: upstream, protocols: protocols)
      try Data(text.utf8).write(to: URL(filePath: folder + "/Caddyfile"))
      return (try HeldShell("caddy", script: Self.script, folder: folder, until: "serving initial configuration"), ports[0])
    }
    self.folder = folder
  }

  /// The number of responses that it has ended early because its upstream did. caddy 2.6 ends such a response like a complete one: its
  /// client cannot notice that (curl 7.88.1 does not either).
  package var incompleteResponses: Int {
    let log = (try? String(contentsOfFile: folder + "/errors.log", encoding: .utf8)) ?? ""
    // A client that has gone away is no failure of the upstream.
    return log.split(separator: "\n").count {
      $0.contains("aborting with incomplete response") && !$0.contains("context canceled")
    }
  }

  /// Kills it without closing its connections properly.
  package func stop() { shell.stop() }

  private static let script = """
    export HOME="$1" XDG_CONFIG_HOME="$1" XDG_DATA_HOME="$1"
    # Without the server there is nothing to wait for.
    ( sh -c 'echo $$ >pid; exec caddy run --config Caddyfile --adapter caddyfile'
      kill $$ ) &
    read -r _
    trap '' TERM
    kill -KILL $(cat pid) 2>/dev/null
    wait
    cd / && rm -rf "$1"
    """

  private static func configuration(port: Int, upstream: Int, protocols: [String]) -> String {
    """
    {
      admin off
      auto_https off
      log errors {
        output file errors.log
        level ERROR
      }
      servers {
        protocols \(protocols.joined(separator: " "))
      }
    }
    https://:\(port) {
      bind 127.0.0.1
      tls cert.pem key.pem
      @last query last=1
      header @last {
        Connection close
        defer
      }
      handle /hello {
        respond "Hello, world!"
      }
      handle /connection {
        respond "{http.request.remote}"
      }
      handle_path /files/* {
        root * files
        file_server
      }
      handle_path /encoded/* {
        root * files
        encode zstd gzip
        file_server
      }
      handle {
        reverse_proxy 127.0.0.1:\(upstream) {
          # With -1 caddy would not end a request to its upstream whose client has gone away.
          flush_interval 1ms
        }
      }
    }
    """
  }
}
