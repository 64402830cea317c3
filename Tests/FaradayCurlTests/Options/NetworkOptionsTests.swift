@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import TestServers
import Testing

/// Options of the network, and of one request against the adapter's, as far as they are libcurl's own business.
@Suite struct NetworkOptionsTests {
  /// A server that responds with the client's address and port.
  private func server() throws -> RawServer { try RawServer(onConnection: tell) }

  @Sendable private func tell(_ connection: RawConnection) throws {
    while true {
      _ = try connection.readHead()
      let text = connection.client.map { "\($0.address) \($0.port)" } ?? ""
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
  }

  @Test func `an IPv4-only request does not reach an IPv6 server`() async throws {
    let (server, refused) = try RawServer.alone(on: .ipv6, onConnection: tell)
    defer { server.stop() }
    let connection = try Connection("http://localhost:\(server.port)/", adapter: CurlAdapter())
    #expect(try await connection.get().status == .ok)
    let error = try await transportError { try await connection.get { $0.options.network.ipVersion = .v4 } }
    #expect(error.code == .connectionFailed && server.connectionCount == 1, "\(error)")
    withExtendedLifetime(refused) {}
  }

  #if os(Linux)
  @Test func `the local address can be an interface name`() async throws {
    let connection = try server().connection()
    let text = try await connection.get { $0.options.network.localAddress = "lo" }.body.utf8Text()
    #expect(text.hasPrefix("127."))
  }
  #endif

  @Test func `the next port of the local range is used if the first is taken`() async throws {
    let server = try server()
    let ports = UInt16(27_100)...27_400
    var used: Set<Int> = []
    // The connections of the earlier ones are still open.
    let adapters = (0..<3).map { _ in CurlAdapter() }
    for adapter in adapters {
      let response = try await Connection(server.url, adapter: adapter).get { $0.options.network.localPorts = ports }
      let text = try await response.body.utf8Text()
      used.insert(try #require(text.split(separator: " ").last.flatMap { Int($0) }))
    }
    #expect(used.count == 3 && used.allSatisfy { ports.contains(UInt16($0)) }, "\(used)")
    withExtendedLifetime(adapters) {}
  }

  @Test func `an override of the connect address applies only to its port`() async throws {
    let server = try server()
    let refused = try RefusedPort()
    let adapter = CurlAdapter()
    var request = try Request("http://nowhere.invalid:\(server.port)/")
    request.options.network.connectTo = [
      ConnectTo(port: refused.port, toHost: "127.0.0.1", toPort: refused.port), ConnectTo(toHost: "127.0.0.1"),
    ]
    #expect(try await adapter.send(request).status == .ok)
    server.stop()
  }

  #if os(Linux)
  /// The kernel asks a peer whose window is closed again and again, and gives up after the timeout.
  @Test func `a server that stops reading for the TCP user timeout ends an upload`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try RawServer { connection in
      connection.setReceiveBuffer(4096)
      _ = try connection.readHead()
      gate.wait()
    }
    var request = try Request(.post, server.url + "/")
    request.body = .data(Data(count: 32 << 20))
    request.options.network.tcpUserTimeout = .milliseconds(300)
    request.options.timeouts.idle = nil
    request.options.timeouts.total = .seconds(60)
    let error = try await transportError { [request] in try await CurlAdapter().send(request) }
    #expect(error.code == .connectionClosed && error.message.contains("timed out"), "\(error)")
    server.stop()
  }
  #endif

  @Test(arguments: [nil, 77]) func `keep-alive probes have the configured interval`(seconds: Int?) async throws {
    let server = try server()
    let connection = try server.connection()
    #expect(
      try await connection.get { if let seconds { $0.options.network.tcpKeepAlive = .seconds(seconds) } }.status == .ok)
    let descriptor = try #require((0..<Int32(4096)).first { peerPort(of: $0) == server.port })
    var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    #expect(getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &value, &length) == 0)
    #expect(value == Int32(seconds ?? 60))
  }

  @Test func `a request can bypass the adapter's proxy`() async throws {
    let (server, refused) = (try LocalServer(), try RefusedPort())
    let proxy = Proxy(.http, host: "127.0.0.1", port: refused.port)
    let connection = try server.connection(CurlAdapter.Configuration(proxy: .proxy(proxy)))
    #expect(try await connection.get("hello") { $0.options.proxy = .direct }.status == .ok)
    let error = try await transportError { try await connection.get("hello") }
    #expect(error.code == .proxyUnreachable && server.requestCount == 1, "\(error)")
  }

  @Test func `the proxy's response to CONNECT is among the raw heads`() async throws {
    let proxy = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    }
    defer { proxy.stop() }
    let heads = Log<String>()
    var request = try Request("http://anywhere.invalid/")
    var through = Proxy(.http, host: "127.0.0.1", port: proxy.port)
    through.tunnels = true
    request.options.proxy = .proxy(through)
    request.options.onRawHead = { heads.append(String(decoding: $0, as: UTF8.self)) }
    #expect(try await CurlAdapter().send(request).status == .noContent)
    #expect(heads.elements == ["HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"])
  }

  @Test func `certificates are reported for each connection, because no session is resumed`() async throws {
    let nginx = try NginxVariants.shared.get()
    let adapter = CurlAdapter()
    for _ in 0..<2 {
      var request = try Request(nginx.url(.valid))
      request.headers[.connection] = "close"
      request.options.tls.caFile = nginx.certificates.authority
      request.options.tls.reportsPeerCertificates = true
      let response = try await adapter.send(request)
      let fields = NginxVariants.fields(of: try await response.body.utf8Text())
      #expect(fields["reused"] == "." && fields["requests"] == "1")
      #expect(!response.metrics.peerCertificates.isEmpty)
    }
  }

  @Test func `a transfer can be too slow temporarily`() async throws {
    let server = try LocalServer()
    let response = try await server.connection().get("drip?count=25&interval=100&size=1") {
      $0.options.rates.minimum = 1000
      $0.options.rates.minimumFor = .seconds(20)
    }
    #expect(try await response.body.collect().count == 25)
  }
}
