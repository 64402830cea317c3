import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

@Suite struct TLSTests {
  let nginx: NginxServer

  init() throws { nginx = try NginxServer.shared.get() }

  private func connection(_ tls: TLS) throws -> Connection {
    var defaults = Options()
    defaults.tls = tls
    return try Connection(nginx.url, defaults: defaults, adapter: CurlAdapter())
  }

  @Test func `a certificate that nobody vouches for is refused`() async throws {
    let error = try await transportError { try await connection(TLS()).get("connection") }
    #expect(error.code == .tlsVerificationFailed && error.phase == .tls, "\(error)")
  }

  @Test func `a certificate for another name is refused`() async throws {
    var request = try Request(.get, "https://127.0.0.2:\(nginx.tlsPort)/connection")
    request.options.tls.caFile = nginx.caFile
    let error = try await transportError { [request] in try await connection(TLS()).run(request) }
    #expect(error.code == .tlsVerificationFailed, "\(error)")
  }

  @Test func `a file of authorities that is missing, or is none, is an error of its own`() async throws {
    let missing = try await transportError { try await connection(TLS(caFile: "/nonexistent.pem")).get("connection") }
    #expect(missing.code == .invalidCA, "\(missing)")
    let garbage = try TemporaryFile(Data("garbage".utf8))
    let invalid = try await transportError { try await connection(TLS(caFile: garbage.path)).get("connection") }
    #expect(invalid.code == .invalidCA, "\(invalid)")
  }

  @Test func `a server that does not speak TLS`() async throws {
    let error = try await transportError {
      try await connection(TLS()).run(try Request(.get, "https://127.0.0.1:\(nginx.port)/"))
    }
    #expect(error.code == .tlsFailed && error.phase == .tls, "\(error)")
  }

  @Test func `a given authority is trusted, and checking can be switched off`() async throws {
    let response = try await connection(TLS(caFile: nginx.caFile)).get("connection")
    #expect(response.status == .ok)
    #expect(response.version == .http1_1 || CurlAdapter.libraryVersion > "libcurl/8.4")
    #expect(response.metrics.tls != nil)
    #expect(try await connection(TLS(verifiesServer: false)).get("connection").status == .ok)
  }

  @Test func `the file of authorities is parsed once, not for every connection`() async throws {
    let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    defer { close(watch) }
    inotify_add_watch(watch, nginx.caFile, UInt32(IN_OPEN))
    let connection = try connection(TLS(caFile: nginx.caFile))
    for _ in 0..<10 { #expect(try await connection.get("session").status == .ok) }
    var events = [UInt8](repeating: 0, count: 4096)
    let opened = read(watch, &events, events.count) / MemoryLayout<inotify_event>.size
    // Other tests use the file too, each once or twice; ten connections of ours would show.
    #expect(opened < 10)
  }

  @Test func `a new connection resumes the session of an earlier one`() async throws {
    let connection = try connection(TLS(caFile: nginx.caFile))
    _ = try await connection.get("session")
    let again = try await connection.get("session")
    #expect(!again.metrics.reusedConnection)
    #expect(try await again.body.text().hasSuffix(" r"))
  }
}
