/// A real nghttpx, a reverse proxy with TLS, HTTP/2 and HTTP/1.1, on the loopback interface. Unlike nginx it forwards trailers and
/// informational (1xx) responses. It must be installed.
///
/// It ends with this process, even if that crashes. Thread-safe.
package final class NghttpxServer: Sendable {
  /// A shared server, which tests must not change. Its upstream is a ``LocalServer``.
  package static let shared = Result { try NghttpxServer(upstream: SharedUpstream.port) }

  /// The port it listens on, on 127.0.0.1.
  package let port: Int
  private let folder: String
  private let shell: HeldShell

  /// The path of its self-signed certificate, for ``FaradayCore/TLS/caFile``.
  package var caFile: String { folder + "/cert.pem" }
  /// `https://localhost:PORT/`.
  package var url: String { "https://localhost:\(port)/" }

  /// Starts it. Throws ``ServerNotStarted``.
  ///
  /// - Parameters:
  ///   - upstream: the port of the server on 127.0.0.1 that it passes requests on to.
  ///   - streams: how many requests it allows on a connection at a time.
  ///   - requests: about how many requests it allows on a connection in all.
  package init(upstream: Int, streams: Int = 100, requests: Int = .max) throws {
    let folder = try HeldShell.makeFolder(for: "nghttpx")
    (shell, port) = try HeldShell.onFreePorts(in: 25_000..<32_000, count: 1) { ports in
      let script = Self.script(port: ports[0], upstream: upstream, streams: streams, requests: requests)
      return (try HeldShell("nghttpx", script: script, folder: folder, until: "Listening on"), ports[0])
    }
    self.folder = folder
  }

  /// Stops it at once.
  package func stop() { shell.stop() }

  private static func script(port: Int, upstream: Int, streams: Int, requests: Int) -> String {
    """
    # Without the server there is nothing to wait for. It writes no pid file when it is a single process.
    ( sh -c 'echo $$ >pid; exec nghttpx "$@"' sh --conf=/dev/null --single-process --workers=1 --no-ocsp \
      --accesslog-file=/dev/null --frontend-http2-max-concurrent-streams=\(streams) \
      --frontend-max-requests=\(requests) \
      --frontend='127.0.0.1,\(port)' --backend='127.0.0.1,\(upstream)' key.pem cert.pem
      kill $$ ) &
    read -r _
    trap '' TERM
    kill -KILL $(cat pid) 2>/dev/null
    wait
    cd / && rm -rf "$1"
    """
  }
}
