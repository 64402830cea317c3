internal import FaradayCore
private import FaradayTesting
private import Synchronization

/// A test server could not be started.
package struct ServerNotStarted: FaradayError {
  /// The program's name.
  package let program: String
  /// The output of the program.
  package let output: String

  package var description: String { "\(program) did not start (Scripts/setup installs it): \(output)" }
}

/// A shell that runs a server and stops it when its standard input ends: a pipe that only this process holds, so that the server
/// ends with this process, even if it crashes.
package final class HeldShell: Sendable {
  private let shell: Mutex<ChildProcess?>

  /// Runs the script, whose `$1` is the folder, until its output has the marker.
  package init(_ program: String, script: String, folder: String, until marker: String) throws {
    let child = try ChildProcess("/bin/sh", ["-c", Self.beginning + script, "sh", folder])
    var said: [UInt8] = []
    while !String(decoding: said, as: UTF8.self).contains(marker) {
      let more = child.read()
      guard !more.isEmpty else { throw ServerNotStarted(program: program, output: String(decoding: said, as: UTF8.self)) }
      said += more
    }
    shell = Mutex(child)
  }

  deinit { stop() }

  package func stop() {
    shell.withLock { shell in
      shell?.closeInput()
      shell?.wait()
      shell = nil
    }
  }

  /// A folder of its own for a server's files. The script removes it. Its path is short enough for a socket's to begin with.
  package static func makeFolder(for program: String) throws -> String {
    let name = "faraday-\(program)-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let folder = FileManager.default.temporaryDirectory.path() + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Tries free ports until `start` succeeds: nginx and nghttpx cannot choose a port themselves. The ports are outside of the
  /// kernel's range for automatic ports, so only another test can take one in between.
  package static func onFreePorts<Result>(
    in range: Range<Int>, count: Int, start: ([Int]) throws -> Result
  ) throws -> Result {
    var attempts = 0
    while true {
      var ports: Set<Int> = []
      while ports.count < count { ports.insert(Int.random(in: range)) }
      do {
        for port in ports { try ListeningSocket(port: port).close() }
        return try start(Array(ports))
      } catch  where attempts < 20 && isTaken(error) {
        attempts += 1
      }
    }
  }

  private static func isTaken(_ error: any Error) -> Bool {
    switch error {
    case let error as ServerNotStarted: error.output.lowercased().contains("address already in use")
    case let error as SocketError: error.call == "bind"
    default: false
    }
  }

  // A certificate of its own, which is also the authority that vouches for it.
  private static let beginning = """
    exec 2>&1
    PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin
    cd "$1" &&
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem 2>openssl.log || exit 1

    """
}

/// The upstream of the shared servers.
enum SharedUpstream {
  private static let server = Result { try LocalServer() }

  static var port: Int {
    get throws { try server.get().port }
  }
}
