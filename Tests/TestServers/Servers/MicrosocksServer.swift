private import FaradayCore

/// A real microsocks, a SOCKS 5 proxy (RFC 1928, RFC 1929), on the loopback interface. It must be installed, and `curl` too, which
/// tells when it listens.
///
/// It ends with this process, even if that crashes. Thread-safe.
package final class MicrosocksServer: Sendable {
  /// The user that it lets in, if it asks.
  package static let user = "user"
  /// That user's password.
  package static let password = "password"

  /// The port it listens on, on 127.0.0.1.
  package let port: Int
  private let folder: String
  private let shell: HeldShell

  /// `HOST:PORT` of each connection that it made, in the client's spelling: a name if the client left it to the proxy to resolve it.
  /// One is here before the client hears that it is connected.
  package var targets: [String] {
    guard let text = try? String(contentsOfFile: folder + "/log", encoding: .utf8) else { return [] }
    // The first connection was the check that it listens.
    return text.matches(of: #/connected to (\S+)/#).dropFirst().map { String($0.output.1) }
  }

  /// Starts it. Throws ``ServerNotStarted``.
  ///
  /// - Parameter asksForCredentials: whether it lets in only ``user`` with ``password``.
  package init(asksForCredentials: Bool = false) throws {
    let folder = try HeldShell.makeFolder(for: "microsocks")
    let credentials = asksForCredentials ? (argument: "-u user -P password", part: "user:password@") : ("", "")
    (shell, port) = try HeldShell.onFreePorts(in: 8_000..<10_000, count: 1) { ports in
      let script = Self.script(port: ports[0], credentials: credentials)
      return (try HeldShell("microsocks", script: script, folder: folder, until: "ready\n"), ports[0])
    }
    self.folder = folder
  }

  /// Stops it at once.
  package func stop() { shell.stop() }

  // It tries only one address of a name, which is the IPv4 address with -b. It prints nothing when it listens, but it does when it
  // connects, here to itself.
  private static func script(port: Int, credentials: (argument: String, part: String)) -> String {
    """
    microsocks -i 127.0.0.1 -b 127.0.0.1 -p \(port) \(credentials.argument) >log 2>&1 &
    until grep -q 'connected to' log || ! kill -0 $!; do
      curl -q -s -m 1 --noproxy '' -x 'socks5://\(credentials.part)127.0.0.1:\(port)' http://127.0.0.1:\(port)/
      sleep 0.02
    done
    cat log
    grep -q 'connected to' log || exit 1
    echo ready
    read -r _
    kill -KILL $!
    cd / && rm -rf "$1"
    """
  }
}
