import FaradayTesting
import Foundation
import TestServers

/// OpenSSL's test server (`openssl s_server`), which prints what it receives and sends what it is told. It serves one connection at
/// a time.
// Safe to share: one thread at a time uses it, the one that made it or the one that it waits for.
final class OpenSSLServer: @unchecked Sendable {
  let port: Int
  private let process: ChildProcess

  /// Throws a `CocoaError` if it does not start.
  ///
  /// - Parameter folder: where `cert.pem` and `key.pem` are.
  init(folder: String, _ options: [String]) throws {
    let certificate = ["-cert", folder + "/cert.pem", "-key", folder + "/key.pem"]
    process = try ChildProcess("openssl", ["s_server", "-accept", "127.0.0.1:0"] + certificate + options)
    // It chooses a port, and prints `ACCEPT 127.0.0.1:PORT` when it listens.
    var text = ""
    while !text.hasSuffix("\n") || !text.contains("ACCEPT") {
      let output = process.read()
      guard !output.isEmpty else { throw CocoaError(.executableLoad) }
      text += String(decoding: output, as: UTF8.self)
    }
    guard let port = text.split(whereSeparator: { $0.isWhitespace || $0 == ":" }).last.flatMap({ Int($0) }) else {
      throw CocoaError(.executableLoad)
    }
    self.port = port
  }

  /// Some of its output, blocking; empty at the end.
  func read() -> [UInt8] { process.read() }

  /// Reads until it has printed that text. Returns false if it ends before.
  @discardableResult
  func read(until text: String) -> Bool {
    var seen = ""
    while !seen.contains(text) {
      let output = read()
      guard !output.isEmpty else { return false }
      seen += String(decoding: output, as: UTF8.self)
    }
    return true
  }

  /// Sends bytes. A piece that begins with certain letters is a command: `R` renegotiates.
  func write(_ bytes: [UInt8]) { process.write(bytes) }

  /// Makes it end.
  func end() { process.closeInput() }

  /// Runs blocking calls on a thread of their own.
  func run(_ body: @escaping @Sendable (OpenSSLServer) -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body(self)
        continuation.resume()
      }
    }
  }
}
