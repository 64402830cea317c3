@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayMiddleware
import FaradayTesting
import FoundationEssentials
import Glibc
import Synchronization
import TestServers
import TestSupport
import Testing

/// Runs where libcurl has HTTP/3 and caddy is installed, which `Scripts/setup` does.
@Suite(.serialized, .enabled(if: Library.hasHTTP3 && CaddyServer.isInstalled)) struct HTTP3Tests {
  static let adapter = CurlAdapter()
  static let shared = Result {
    let upstream = try LocalServer()
    return (upstream: upstream, caddy: try CaddyServer(upstream: upstream.port))
  }
  static let servers = StreamServers(version: .http3, policy: .http3) {
    let caddy = try shared.get().caddy
    return .init(url: caddy.url, caFile: caddy.caFile) {}
  } proxy: { upstream in
    let caddy = try CaddyServer(upstream: upstream)
    return .init(url: caddy.url, caFile: caddy.caFile) { caddy.stop() }
  } counting: {
    let caddy = try CaddyServer()
    return .init(url: caddy.url, caFile: caddy.caFile) { caddy.stop() }
  }

  /// A connection over an adapter of its own.
  private func connection(
    _ server: CaddyServer, version: HTTPVersionPolicy = .http3, middleware: [any Middleware] = []
  ) throws -> Connection {
    var defaults = Options()
    defaults.tls.caFile = server.caFile
    defaults.httpVersion = version
    return try Connection(server.url, defaults: defaults, adapter: CurlAdapter(), middleware: middleware)
  }

  /// Over HTTP/3, caddy 2.6 forwards neither trailers nor request bodies of unknown length.
  static let rules = AdapterConformance.cases(of: "HTTP/3", with: servers, for: adapter.capabilities) {
    $0.hasPrefix("trailers") || $0.contains("unknown length")
  }

  @Test(arguments: rules)
  func `HTTP/3 keeps the rules of HTTP/2`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }

  // MARK: Which version

  @Test func `HTTP/3 is used only if requested`() async throws {
    let connection = try connection(Self.shared.get().caddy)
    for (policy, version) in [
      (HTTPVersionPolicy.http3, HTTPVersion.http3), (.automatic, .http2), (.http1, .http1_1), (.http3, .http3), (.http2, .http2),
    ] {
      let response = try await connection.get("hello") { $0.options.httpVersion = policy }
      #expect(response.version == version)
      #expect(try await response.body.utf8Text() == "Hello, world!")
    }
  }

  @Test func `a kept HTTP/2 connection does not prevent HTTP/3`() async throws {
    let connection = try connection(Self.shared.get().caddy)
    for _ in 0..<3 {
      #expect(try await connection.get("hello") { $0.options.httpVersion = .http2 }.version == .http2)
      #expect(try await connection.get("hello").version == .http3)
    }
  }

  @Test func `options that exclude QUIC use HTTP/2`() async throws {
    let connection = try connection(Self.shared.get().caddy)
    #expect(try await connection.get("hello") { $0.options.tls.maximumVersion = .v1_2 }.version == .http2)
    #expect(try await connection.get("hello") { $0.options.tls.negotiatesProtocol = false }.version == .http1_1)
  }

  @Test func `a server without HTTP/3 responds over HTTP/2, and its connection is kept`() async throws {
    let server = try CaddyServer(protocols: ["h1", "h2"])
    let connection = try connection(server)
    var connections: Set<String> = []
    for index in 0..<3 {
      let response = try await connection.get("connection")
      #expect(response.version == .http2)
      #expect(response.metrics.isConnectionReused == (index > 0))
      connections.insert(try await response.body.utf8Text())
    }
    #expect(connections.count == 1)
  }

  @Test func `a server whose UDP is blocked responds over HTTP/2`() async throws {
    let server = try CaddyServer(protocols: ["h1", "h2"])
    // It takes packets and never answers, as a firewall does.
    let silent = try SilentPort(server.port)
    defer { withExtendedLifetime(silent) {} }
    let response = try await connection(server).get("hello")
    #expect(response.version == .http2)
  }

  @Test func `an unreachable server is a connection failure`() async throws {
    let port = try RefusedPort()
    let error = try await transportError {
      try await Connection("https://127.0.0.1:\(port.port)/", adapter: CurlAdapter()).get { $0.options.httpVersion = .http3 }
    }
    #expect(error.code == .connectionFailed && error.phase == .connecting, "\(error)")
  }

  @Test func `an untrusted server is refused`() async throws {
    let error = try await transportError {
      try await connection(Self.shared.get().caddy).get("hello") {
        $0.options.tls.caFile = try TestCertificates.shared.get().authority
      }
    }
    // Over GnuTLS, libcurl 8.14 reports the address that it tried first, where nothing listens.
    #expect([.tlsVerificationFailed, .connectionFailed].contains(error.code), "\(error)")
  }

  @Test func `Alt-Svc makes later requests use HTTP/3`() async throws {
    let store = AlternativeServiceStore()
    let connection = try connection(
      Self.shared.get().caddy, version: .automatic, middleware: [.alternativeServices(store)])
    #expect(try await connection.get("hello").version == .http2)
    for _ in 0..<2 { #expect(try await connection.get("hello").version == .http3) }
    #expect(store.alternatives(for: connection.url ?? URL(filePath: "/")).map(\.protocolID) == ["h3"])
  }

  // MARK: Streams

  @Test func `metrics describe the QUIC connection`() async throws {
    let connection = try connection(Self.shared.get().caddy)
    let first = try await connection.post("echo", body: "12345").metrics
    #expect(!first.isConnectionReused)
    #expect(first.remoteAddress == "127.0.0.1:\(try Self.shared.get().caddy.port)")
    let connect = try #require(first.connect)
    let tls = try #require(first.tls)
    #expect(first.queue ?? .zero <= connect && connect <= tls && tls <= first.firstByte ?? .zero)
    #expect(first.bytesSent == 5 && first.bytesReceived == 5)
    let second = try await connection.post("echo", body: "12345").metrics
    #expect(second.isConnectionReused && second.localAddress == first.localAddress)
  }

  @Test func `a slow reader limits how much the server sends`() async throws {
    let written = Atomic(0)
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(128 << 20)\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 64 << 10)
      for _ in 0..<2048 {
        try connection.send(piece)
        written.add(piece.count, ordering: .relaxed)
      }
      connection.waitForClose()
    }
    let caddy = try CaddyServer(upstream: server.port)
    let connection = try connection(caddy)
    let response = try await connection.get { $0.options.delivery = .streamed }
    #expect(response.version == .http3)
    var read = 0
    var ahead = 0
    for try await piece in response.body {
      read += piece.count
      // Other exchanges, during which the engine has time to wrongly resume the paused one.
      if read < 8 << 20 { for _ in 0..<2 { _ = try await connection.get("hello") } }
      ahead = max(ahead, written.load(ordering: .relaxed) - read)
    }
    #expect(read == 128 << 20)
    #expect(ahead < 32 << 20, "the server was \(ahead) bytes ahead")
  }

  @Test func `a server that ends within a body is an error`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 64 << 10)
      while true { try connection.send(piece) }
    }
    let caddy = try CaddyServer(upstream: server.port)
    let response = try await connection(caddy).get { $0.options.delivery = .streamed }
    let error = await #expect(throws: TransportError.self) {
      var read = 0
      for try await piece in response.body {
        read += piece.count
        if read > 1 << 20 { caddy.stop() }
      }
    }
    #expect(error?.phase == .receiving && error?.partialResponse?.status == .ok, "\(String(describing: error))")
  }

  @Test func `a body shorter than its length is an error`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    }
    let caddy = try CaddyServer(upstream: server.port)
    let error = try await transportError { try await connection(caddy).get() }
    // Over GnuTLS, libcurl 8.14 has no message of ngtcp2.
    #expect([.http3Error, .sendFailed].contains(error.code) && error.phase == .receiving, "\(error)")
    #expect(error.partialResponse?.status == .ok)
  }

  @Test func `a cancelled upload leaves the connection usable`() async throws {
    let connection = try connection(Self.shared.get().caddy)
    let hasBegun = Gate()
    let task = Task {
      try await connection.post("echo", body: .stream(EndlessPieces(), length: 1 << 40)) {
        $0.options.onChunk = { _ in
          hasBegun.open()
          return .continue
        }
      }
    }
    #expect(await hasBegun.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let next = try await connection.get("hello")
    #expect(next.version == .http3 && next.metrics.isConnectionReused)
  }

  @Test func `requests with different versions use different connections`() async throws {
    let adapter = CurlAdapter()
    let caddy = try Self.shared.get().caddy
    var defaults = Options()
    defaults.tls.caFile = caddy.caFile
    let connection = try Connection(caddy.url, defaults: defaults, adapter: adapter)
    for _ in 0..<20 {
      for version in [HTTPVersionPolicy.http2, .http3] {
        _ = try await connection.get("hello") { $0.options.httpVersion = version }
      }
    }
    #expect(adapter.statistics.connections.opened == 2)
  }
}

/// Without HTTP/3 in libcurl, the error of a request names a libcurl that has it.
@Suite struct MissingHTTP3Tests {
  @Test(.enabled(if: !Library.hasHTTP3)) func `a libcurl without HTTP/3 refuses the option by name`() async throws {
    let error = try await transportError {
      try await Connection("https://127.0.0.1/", adapter: CurlAdapter()).get { $0.options.httpVersion = .http3 }
    }
    #expect(error.code == .unsupported)
    #expect(
      error.message.hasPrefix(
        "CurlAdapter has no http3, which needs libcurl 8.5 or newer with HTTP/3 by ngtcp2, as the wheels of pycurl have, "
          + "and this is libcurl/"), "\(error)")
  }
}

/// A UDP port on 127.0.0.1 that receives packets and sends none.
private final class SilentPort: Sendable {
  private let descriptor: Int32

  init(_ port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard code == 0 else {
      close(descriptor)
      throw POSIXFailure(code: errno)
    }
  }

  deinit { close(descriptor) }

  private struct POSIXFailure: Error {
    let code: Int32
  }
}

/// A body without an end.
private struct EndlessPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  func makeAsyncIterator() -> Self { self }
  mutating func next() async -> Data? { Data(repeating: 0x61, count: 10_000) }
}
