@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@testable import FaradayCurl
import TestServers

/// A request that is sent more than once: after a challenge, a 417, or over a connection that was closed meanwhile. What the adapter
/// knew of the first time must not count for the second.
@Suite struct ResentRequestTests {
  private static let challenge =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test func `the response to a second CONNECT is not a head of the response`() async throws {
    let heads = Log<String>()
    let proxy = try RawServer { connection in
      #expect(try connection.readHead().hasPrefix("CONNECT "))
      try connection.send("HTTP/1.1 200 Tunnel \(connection.index)\r\n\r\n")
      _ = try connection.readHead()
      try connection.send(Self.ok)
      // The second request finds the tunnel open, and is left without an answer.
      _ = try connection.readHead()
      connection.halfClose()
    }
    defer { proxy.stop() }
    var request = try Request("http://127.0.0.1:9/x")
    var chosen = try Proxy(proxy.url)
    chosen.tunnels = true
    request.options.proxy = .proxy(chosen)
    request.options.onRawHead = { heads.append(String(decoding: $0, as: UTF8.self)) }
    let adapter = CurlAdapter()
    for _ in 0..<2 {
      let response = try await adapter.send(request)
      #expect(response.status == .ok)
      #expect(try await response.body.utf8Text() == "ok")
    }
    #expect(heads.elements.filter { $0.hasPrefix("HTTP/1.1 200 Tunnel") }.count == 2)
    #expect(proxy.connectionCount == 2)
  }

  @Test func `the response to a challenge is not sent over a connection with other options`() async throws {
    let (arrived, mayAnswer, isKept) = (Gate(), Gate(), Gate())
    let heads = Log<String>()
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        heads.append("\(connection.index) \(head.contains("Authorization") ? "answer" : "request")")
        if head.contains("/first") {
          arrived.open()
          mayAnswer.wait()
          try connection.send(Self.ok)
        } else if head.contains("Authorization") {
          try connection.send(Self.ok)
        } else {
          // Only now is there a kept connection, which the first request has made with its own options.
          mayAnswer.open()
          isKept.wait()
          try connection.send(Self.challenge)
        }
      }
    }
    defer { server.stop() }
    let adapter = CurlAdapter()
    var first = try Request(server.url + "/first")
    first.options.network.ipVersion = .v4
    let task = Task { [first] in try await adapter.send(first) }
    #expect(await arrived.opened())
    var second = try Request(server.url + "/second")
    second.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
    async let response = adapter.send(second)
    #expect(try await task.value.status == .ok)
    isKept.open()
    #expect(try await response.status == .ok)
    #expect(heads.elements.contains { $0.hasSuffix("answer") })
    #expect(!heads.elements.contains("0 answer"))
  }

  @Test func `tunnels with different proxy headers are not shared`() async throws {
    let tenants = Log<String>()
    let proxy = try RawServer { connection in
      let head = try connection.readHead()
      tenants.append(head.split(separator: "X-Tenant: ").last.map { String($0.prefix { $0 != "\r\n" }) } ?? "")
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while true {
        _ = try connection.readHead()
        try connection.send(Self.ok)
      }
    }
    defer { proxy.stop() }
    let url = proxy.url
    let adapter = CurlAdapter(
      .init(
        proxy: .selected { target in
          guard var chosen = try? Proxy(url) else { return nil }
          chosen.tunnels = true
          try? chosen.headers.set(name: "X-Tenant", value: target.path.hasSuffix("a") ? "a" : "b")
          return chosen
        }))
    for path in ["a", "b", "a", "b"] {
      #expect(try await adapter.send(try Request("http://127.0.0.1:9/\(path)")).status == .ok)
    }
    #expect(Set(tenants.elements) == ["a", "b"])
  }

  @Test func `the wait for the first byte restarts when a request is sent again without Expect`() async throws {
    let server = try RawServer { connection in
      if try connection.readHead().lowercased().contains("expect") {
        try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      } else {
        connection.waitForClose()
      }
    }
    defer { server.stop() }
    var request = try Request(.put, server.url, body: .data(Data("body".utf8)))
    request.headers[.expect] = "100-continue"
    // Buffered delivery has a deadline of its own, at which all timeouts are looked at.
    request.options.delivery = .streamed
    request.options.timeouts.idle = nil
    request.options.timeouts.total = .seconds(60)
    try await patiently(from: .milliseconds(200)) { [request] limit in
      var request = request
      request.options.timeouts.firstByte = limit
      let before = server.connectionCount
      try await expectFailure(.firstByteTimeout) { [request] in try await CurlAdapter().send(request) }
      // The limit has expired before the 417.
      guard server.connectionCount > before + 1 else { throw TooSlow() }
      try expectEqual(server.connectionCount, before + 2)
    }
  }

  @Test func `a server that renegotiates on a kept connection is refused`() async throws {
    let nginx = try NginxServer(upstream: 9)
    let server = try OpenSSLServer(folder: nginx.folder, ["-tls1_2"])
    var request = try Request(.post, "https://localhost:\(server.port)/")
    request.options.tls.caFile = nginx.caFile
    request.options.tls.reportsPeerCertificates = true
    request.options.httpVersion = .http1
    request.options.timeouts.total = .seconds(10)
    let adapter = CurlAdapter()
    let first = Task { [request] in try await adapter.send(request) }
    await server.run {
      $0.read(until: "POST / HTTP/1.1")
      $0.write(Array(Self.ok.utf8))
    }
    #expect(try await first.value.status == .ok)
    // The handshake would call back for the first request, which is over.
    let second = Task { [request] in try await adapter.send(request) }
    await server.run {
      $0.read(until: "POST / HTTP/1.1")
      $0.write(Array("R\n".utf8))
    }
    // The server closes a connection whose renegotiation is refused. Otherwise the test would wait for it.
    let error = await #expect(throws: TransportError.self) { try await second.value }
    #expect(error?.code == .connectionClosed, "\(String(describing: error))")
    server.end()
  }
}
