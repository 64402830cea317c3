internal import FaradayCore

extension ConformanceGroup {
  static let addresses: ConformanceGroup = .init(
    name: "addresses",
    cases: [
      .init("a host override connects to its addresses", needs: .otherAddresses) { subject in
        let head = try await receivedHead(subject, "http://nowhere.invalid:PORT/path") {
          $0.hostOverrides = [HostOverride("NOWHERE.invalid", addresses: ["127.0.0.1"])]
        }
        try expect(head.contains("\r\nHost: nowhere.invalid:"), head)
      },
      .init("the first of several addresses that responds is used", needs: .otherAddresses) { subject in
        _ = try await receivedHead(subject, "http://nowhere.invalid:PORT/path") {
          $0.hostOverrides = [HostOverride("*", addresses: ["::1", "127.0.0.1"])]
        }
      },
      .init("overrides of another name or port are not used", needs: .otherAddresses) { subject in
        for override in [
          HostOverride("other.invalid", addresses: ["127.0.0.1"]),
          HostOverride("nowhere.invalid", port: 9, addresses: ["127.0.0.1"]),
        ] {
          try await expectFailure(.nameNotFound) {
            var request = try Request("http://nowhere.invalid:\(subject.server.port)/hello")
            request.options.network.hostOverrides = [override]
            return try await subject.adapter.send(request)
          }
        }
      },
      .init("an override of one request affects neither the next request nor its connection", needs: .otherAddresses) {
        subject in
        let (server, refused) = try emptyServer()
        defer { server.stop() }
        var request = try Request("http://nowhere.invalid:\(server.port)/hello")
        for addresses in [["127.0.0.1"], ["::1", "127.0.0.1"]] {
          request.options.network.hostOverrides = [HostOverride("nowhere.invalid", addresses: addresses)]
          try expectEqual(try await subject.adapter.send(request).status, .noContent)
          request.options.network.hostOverrides = []
          try await expectFailure(.nameNotFound) { [request] in try await subject.adapter.send(request) }
        }
        withExtendedLifetime(refused) {}
      },
      .init("an invalid address is refused", needs: .otherAddresses, needsWire: false) { subject in
        try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") {
            $0.options.network.hostOverrides = [HostOverride("*", addresses: ["localhost"])]
          }
        }
      },
      .init("a connect-to override uses another host and port", needs: .otherAddresses) { subject in
        let head = try await receivedHead(subject, "http://nowhere.invalid:1/path") {
          $0.connectTo = [
            ConnectTo(host: "other.invalid", toHost: "192.0.2.1"),
            ConnectTo(host: "nowhere.invalid", port: 1, toHost: "127.0.0.1", toPort: $1),
          ]
        }
        try expect(head.contains("\r\nHost: nowhere.invalid:1\r\n"), head)
      },
      .init("a request can use a Unix socket", needs: .unixSockets) { subject in
        let path = FileManager.default.temporaryDirectory.path() + "/faraday-\(UInt32.random(in: 0 ... .max))"
        let server = try RawServer(unixSocket: path) { connection in
          let line = try connection.readHead().prefix { $0 != "\r\n" }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
          connection.waitForClose()
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        defer { server.stop() }
        for _ in 0..<3 {
          var request = try Request("http://nowhere.invalid/over/unix")
          request.options.network.unixSocket = path
          try expectEqual(try await subject.adapter.send(request).body.utf8Text(), "GET /over/unix HTTP/1.1")
        }
        try await expectFailure(.nameNotFound) { try await subject.adapter.send(try Request("http://nowhere.invalid/over/unix")) }
      },
      .init("a missing Unix socket is a connection failure", needs: .unixSockets) { subject in
        try await expectFailure(.connectionFailed) {
          try await subject.connection.get("hello") { $0.options.network.unixSocket = "/nonexistent/socket" }
        }
      },
      .init("a Unix socket cannot be combined with a proxy", needs: [.unixSockets, .proxies], needsWire: false) { subject in
        try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") {
            $0.options.network.unixSocket = "/nonexistent/socket"
            $0.options.proxy = .proxy(try Proxy("http://127.0.0.1:1"))
          }
        }
      },
      .init("the local address and ports are used", needs: .localAddress) { subject in
        let client = try await connectedClient(subject) {
          $0.localAddress = "127.0.0.9"
          $0.localPorts = 26_000...27_000
        }
        try expectEqual(client.address, "127.0.0.9")
        try expect((26_000...27_000).contains(client.port), "port \(client.port)")
      },
      .init("a connection from another local address is not used", needs: .localAddress) { subject in
        let clients = Log<String>()
        let server = try RawServer { connection in
          while true {
            _ = try connection.readHead()
            clients.append(connection.client?.address ?? "")
            try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
          }
        }
        defer { server.stop() }
        for address in ["127.0.0.9", nil, "127.0.0.9"] {
          _ = try await subject.connection(to: server).get { $0.options.network.localAddress = address }
        }
        try expectEqual(clients.elements, ["127.0.0.9", "127.0.0.1", "127.0.0.9"])
      },
      .init("a foreign local address is a connection failure", needs: .localAddress) { subject in
        try await expectFailure(.connectionFailed) {
          try await subject.connection.get("hello") { $0.options.network.localAddress = "192.0.2.1" }
        }
      },
      .init("the IP version is restricted", needs: .ipVersion) { subject in
        let (server, refused) = try emptyServer()
        defer { server.stop() }
        let request = try Request("http://localhost:\(server.port)/hello")
        try await expectFailure(.connectionFailed, .nameNotFound) {
          var request = request
          request.options.network.ipVersion = .v6
          return try await subject.adapter.send(request)
        }
        var other = request
        other.options.network.ipVersion = .v4
        other.options.network.happyEyeballsDelay = .milliseconds(5)
        try expectEqual(try await subject.adapter.send(other).status, .noContent)
        withExtendedLifetime(refused) {}
      },
      .init("the configured DNS servers are asked", needs: .dnsServers) { subject in
        try await expectFailure(.nameNotFound, .connectTimeout) {
          var request = try Request("http://localhost.example:\(subject.server.port)/hello")
          request.options.network.dnsServers = ["127.0.0.1:9"]
          return try await subject.adapter.send(request)
        }
      },
      .init("TCP options are set", needs: .tcpOptions) { subject in
        let client = try await connectedClient(subject) {
          $0.tcpNoDelay = false
          $0.tcpKeepAlive = .seconds(77)
        }
        let options = try require(
          TCPOptions(localPort: client.port, remotePort: client.serverPort), "the client's socket is not open")
        try expectEqual(options, TCPOptions(noDelay: false, keepAlive: 77))
        let other = try await connectedClient(subject) { $0.tcpKeepAlive = nil }
        try expectEqual(try require(TCPOptions(localPort: other.port, remotePort: other.serverPort)).keepAlive, nil)
      },
    ])

  /// The head that a server on 127.0.0.1 gets for the URL, in which `PORT` is its port.
  private static func receivedHead(
    _ subject: AdapterConformance.Subject, _ url: String, set: (inout Network, _ port: Int) -> Void
  ) async throws -> String {
    let heads = Log<String>()
    let (server, refused) = try emptyServer { heads.append($0) }
    defer { server.stop() }
    var request = try Request(url.replacing("PORT", with: "\(server.port)"))
    set(&request.options.network, server.port)
    try expectEqual(try await subject.adapter.send(request).status, .noContent)
    withExtendedLifetime(refused) {}
    return try require(heads.elements.first)
  }

  /// A server on 127.0.0.1 whose responses are empty, and its port on ::1.
  private static func emptyServer(
    _ onHead: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> (server: RawServer, refused: RefusedPort) {
    try RawServer.alone(on: .ipv4) { connection in
      while true {
        onHead(try connection.readHead())
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
  }

  private static func receivedHead(
    _ subject: AdapterConformance.Subject, _ url: String, set: (inout Network) -> Void
  ) async throws -> String {
    try await receivedHead(subject, url) { network, _ in set(&network) }
  }

  /// The client's address and port, as the server sees them, and the server's port. The connection stays open.
  private static func connectedClient(
    _ subject: AdapterConformance.Subject, set: (inout Network) -> Void
  ) async throws -> (address: String, port: Int, serverPort: Int) {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      let client = connection.client.map { "\($0.address) \($0.port)" } ?? ""
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(client.utf8.count)\r\n\r\n\(client)")
      connection.waitForClose()
    }
    // Not stopped here: the client's socket is looked at.
    kept.append(server)
    var network = Network()
    set(&network)
    let words = try await subject.connection(to: server).get { [network] in $0.options.network = network }.body.utf8Text().split(
      separator: " ")
    return (String(try require(words.first)), try require(words.last.flatMap { Int($0) }), server.port)
  }

  private static let kept = Log<RawServer>()
}
