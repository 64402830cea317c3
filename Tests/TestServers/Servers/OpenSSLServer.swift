private import FaradayCore
private import Synchronization

/// OpenSSL's test server on 127.0.0.1, for behavior that real servers lack: certificates of any time, obsolete versions of
/// TLS, any bytes after the handshake.
///
/// It serves one connection at a time. Its certificate is for `localhost` and 127.0.0.1, from an authority of its own. It ends
/// with this process, even if that crashes. Thread-safe, but only one thread may read at a time.
final class OpenSSLServer: Sendable {
  /// When a certificate is valid.
  enum Validity: String, CaseIterable {
    case now = "20200101000000Z 20900101000000Z"
    case past = "20200101000000Z 20210101000000Z"
    case future = "20880101000000Z 20900101000000Z"
  }

  let port: Int
  /// The authority that vouches for its certificate.
  var caFile: String { folder + "/ca.pem" }
  /// `https://127.0.0.1:PORT/`.
  var url: String { "https://127.0.0.1:\(port)/" }
  private let folder: String
  private let shell: Mutex<ChildProcess?>
  private let received: Mutex<[UInt8]>

  /// Starts it. Throws ``ServerNotStarted``.
  ///
  /// - Parameter options: arguments of `openssl s_server`.
  init(_ options: String = "", certificate validity: Validity = .now) throws {
    folder = try HeldShell.makeFolder(for: "openssl")
    let script = Self.certificate + Self.server.replacing("$options", with: options)
    let times = validity.rawValue.split(separator: " ").map(String.init)
    let child = try ChildProcess("/bin/sh", ["-c", script, "sh", folder] + times)
    var said: [UInt8] = []
    // It chooses a port, and prints `ACCEPT 127.0.0.1:PORT` when it listens.
    while true {
      let text = String(decoding: said, as: UTF8.self)
      if let match = text.firstMatch(of: #/ACCEPT 127\.0\.0\.1:([0-9]+)\n/#), let port = Int(match.output.1) {
        self.port = port
        break
      }
      let more = child.read()
      guard !more.isEmpty else { throw ServerNotStarted(program: "openssl", output: text) }
      said += more
    }
    shell = Mutex(child)
    received = Mutex([])
  }

  deinit { stop() }

  /// Stops it at once.
  func stop() {
    shell.withLock { shell in
      shell?.closeInput()
      shell?.wait()
      shell = nil
    }
  }

  /// Sends bytes to the connected client.
  func send(_ bytes: [UInt8]) { shell.withLock { $0?.write(bytes) } }

  /// Waits until the output, which contains the received bytes, satisfies the condition; nil if the server ends before.
  func received(until isEnough: @Sendable ([UInt8]) -> Bool) async -> [UInt8]? {
    while true {
      let bytes = received.withLock { $0 }
      if isEnough(bytes) { return bytes }
      guard let child = shell.withLock({ $0 }) else { return nil }
      let more = await child.next()
      guard !more.isEmpty else { return nil }
      received.withLock { $0 += more }
    }
  }

  private static let certificate = """
    PATH=$PATH:/usr/local/bin:/opt/homebrew/bin
    cd "$1" && {
      key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
      openssl req -x509 $key -days 2 -subj /CN=authority -keyout ca.key -out ca.pem &&
      openssl req -new $key -subj /CN=localhost -keyout key.pem -out request.pem &&
      : >index && echo 01 >serial &&
      printf '%s\\n' '[ca]' default_ca=authority '[authority]' database=index serial=serial new_certs_dir=. \\
        default_md=sha256 policy=names '[names]' commonName=supplied \\
        '[fields]' subjectAltName=DNS:localhost,IP:127.0.0.1 >ca.conf &&
      openssl ca -batch -notext -config ca.conf -cert ca.pem -keyfile ca.key -startdate $2 -enddate $3 \\
        -extensions fields -in request.pem -out cert.pem
    } >log 2>&1 || { cat log; exit 1; }

    """

  // Its input stays open as long as ours, which ends with this process.
  private static let server = """
    mkfifo input
    openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem $options <input 2>&1 &
    exec 3>input
    cat >&3
    kill -KILL $!
    cd / && rm -rf "$1"
    """
}
