import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

@Suite struct TLSTests {
  // Nobody else's, so that what is counted is ours.
  let nginx: NginxServer

  init() throws { nginx = try NginxServer() }

  private func connection(_ tls: TLS) throws -> Connection {
    var defaults = Options()
    defaults.tls = tls
    return try Connection(nginx.url, defaults: defaults, adapter: CurlAdapter())
  }

  @Test func `the file of authorities is parsed once, not for every connection`() async throws {
    let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    defer { close(watch) }
    inotify_add_watch(watch, nginx.caFile, UInt32(IN_OPEN))
    let connection = try connection(TLS(caFile: nginx.caFile))
    for _ in 0..<10 { #expect(try await connection.get("session").status == .ok) }
    var events = [UInt8](repeating: 0, count: 4096)
    let opened = read(watch, &events, events.count) / MemoryLayout<inotify_event>.size
    #expect(opened < 10)
  }

  @Test func `a new connection resumes the session of an earlier one`() async throws {
    var connection = try connection(TLS(caFile: nginx.caFile))
    // Over HTTP/2, which newer versions of libcurl choose by themselves, the server does not end the connection.
    connection.defaults.httpVersion = .http1
    _ = try await connection.get("session")
    let again = try await connection.get("session")
    #expect(!again.metrics.reusedConnection)
    #expect(try await again.body.text().hasSuffix(" r"))
  }
}
