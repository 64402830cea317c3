import CCurl
@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import TestServers
import Testing

@Suite struct TLSTests {
  // A server of its own, so that the counts are exact.
  let nginx: NginxServer

  init() throws { nginx = try NginxServer() }

  private func connection(_ tls: TLS) throws -> Connection {
    var defaults = Options()
    defaults.tls = tls
    return try Connection(nginx.url, defaults: defaults, adapter: CurlAdapter())
  }

  @Test(.enabled(if: OpenSSL.isUsed, "libcurl parses it for every connection with other TLS libraries"))
  func `the file of authorities is parsed once for all connections`() async throws {
    let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    #expect(watch >= 0)
    defer { close(watch) }
    // Also its closing: of two events in a row that are the same the kernel keeps one.
    #expect(inotify_add_watch(watch, nginx.caFile, UInt32(IN_OPEN) | UInt32(IN_CLOSE)) >= 0)
    let connection = try connection(TLS(caFile: nginx.caFile))
    for _ in 0..<10 { #expect(try await connection.get("session").status == .ok) }
    var events = [UInt8](repeating: 0, count: 4096)
    let count = read(watch, &events, events.count)
    // Opened and closed, each an event without a name.
    #expect(count == 2 * MemoryLayout<inotify_event>.size)
  }

  @Test(.enabled(if: OpenSSL.isUsed && Library.bundle != nil, "libcurl parses it for every connection with other TLS libraries"))
  func `the file of authorities that libcurl was built with is parsed once`() async {
    // The bytes read by a process are not meaningful while other tests run in it.
    await #expect(processExitsWith: .success) {
      let path = try #require(Library.bundle)
      let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      let nginx = try NginxServer()
      defer { nginx.stop() }
      let connection = try Connection(nginx.url, adapter: CurlAdapter())
      func refused() async throws {
        #expect(try await transportError { try await connection.get("session") }.code == .tlsVerificationFailed)
      }
      let before = try bytesRead()
      for _ in 0..<10 { try await refused() }
      let read = try bytesRead() - before
      #expect(read >= size && read < 2 * size, "\(read) bytes for a file of \(size)")
    }
  }

  @Test(.enabled(if: Library.Behaviour.resumesSessions))
  func `a new connection resumes the session of an earlier one`() async throws {
    var connection = try connection(TLS(caFile: nginx.caFile))
    // Over HTTP/2, which newer versions of libcurl choose by themselves, the server does not end the connection.
    connection.defaults.httpVersion = .http1
    _ = try await connection.get("session")
    let again = try await connection.get("session")
    #expect(!again.metrics.isConnectionReused)
    #expect(try await again.body.utf8Text().hasSuffix(" r"))
  }
}

/// The bytes that this process has read so far from files and sockets.
private func bytesRead() throws -> Int {
  let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
  let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
  return try #require(Int(line.dropFirst(7)))
}
