internal import FaradayCore

extension ConformanceGroup {
  /// The addresses of a ``HostOverride`` are used without any lookup.
  static let givenAddresses = ConformanceGroup(
    name: "host overrides", needs: .otherAddresses,
    cases: [
      .init("host overrides bypass DNS over HTTPS", needs: .dnsOverHTTPS) { subject in
        try await reaches(subject, ["::1", "127.0.0.1"]) { $0.network.dnsOverHTTPS = "https://127.0.0.1:9/dns-query" }
      },
      .init("a host can have very many addresses") { subject in
        try await reaches(subject, ["127.0.0.1"] + (2...50).map { "127.0.0.\($0)" }) { _ in }
      },
      .init("the IP version is restricted with overrides", needs: .ipVersion) { subject in
        try await reaches(subject, ["::1", "127.0.0.1"]) { $0.network.ipVersion = .v4 }
        try await expectFailure(.nameNotFound) {
          var request = try Request("http://nowhere.invalid:\(subject.server.port)/hello")
          request.options.network.hostOverrides = [HostOverride("*", addresses: ["127.0.0.1", "127.0.0.2"])]
          request.options.network.ipVersion = .v6
          return try await subject.adapter.send(request)
        }
        try expectEqual(subject.server.connectionCount, 0)
      },
      .init("a thousand earlier hosts make no difference") { subject in
        let server = try emptyServer()
        defer { server.stop() }
        for index in 0..<1005 {
          var request = try Request("http://host\(index).invalid:\(server.port)/")
          request.headers[.connection] = "close"
          request.options.network.hostOverrides = [HostOverride("*", addresses: ["127.0.0.1", "127.0.0.2"])]
          try expectEqual(try await subject.adapter.send(request).status, .noContent)
        }
      },
      .init("CONNECT names the first address", needs: .proxies) { subject in
        let heads = Log<String>()
        let proxy = try RawServer { connection in
          heads.append(try connection.readHead())
          try connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        }
        defer { proxy.stop() }
        for tunnels in [true, false] {
          var request = try Request("http://nowhere.invalid:81/")
          var through = Proxy(.http, host: "127.0.0.1", port: proxy.port)
          through.tunnels = tunnels
          request.options.proxy = .proxy(through)
          request.options.network.hostOverrides = [HostOverride("*", addresses: ["192.0.2.1", "192.0.2.2"])]
          try await expectFailure(.proxyFailed) { [request] in try await subject.adapter.send(request) }
        }
        for head in heads.elements { try expect(head.hasPrefix("CONNECT 192.0.2.1:81 HTTP/1.1\r\n"), head) }
        try expectEqual(heads.elements.count, 2)
      },
      .init("a SOCKS request names the first address", needs: .proxies) { subject in
        for scheme in [Proxy.Scheme.socks4, .socks4a, .socks5, .socks5h] {
          let proxy = try SOCKSServer()
          var request = try Request("http://nowhere.invalid:81/")
          request.options.proxy = .proxy(Proxy(scheme, host: "127.0.0.1", port: proxy.port))
          request.options.network.hostOverrides = [HostOverride("*", addresses: ["192.0.2.1", "192.0.2.2"])]
          try expectEqual(try await subject.adapter.send(request).status, .ok)
          // Some versions send an address as a name.
          let asked = try require(proxy.log.elements.first { $0.contains("port 81") })
          try expect(["address 192.0.2.1 port 81", "name 192.0.2.1 port 81"].contains(asked), asked)
        }
      },
    ])

  private static func emptyServer() throws -> RawServer {
    try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }
  }

  /// Expects a request to a name with these addresses to reach a server on 127.0.0.1.
  private static func reaches(
    _ subject: AdapterConformance.Subject, _ addresses: [String], _ set: (inout Options) -> Void
  ) async throws {
    let (server, refused) = try RawServer.alone(on: .ipv4) { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }
    defer { server.stop() }
    var request = try Request("http://nowhere.invalid:\(server.port)/")
    request.options.network.hostOverrides = [HostOverride("nowhere.invalid", addresses: addresses)]
    set(&request.options)
    try expectEqual(try await subject.adapter.send(request).status, .noContent)
    withExtendedLifetime(refused) {}
  }
}
