internal import FaradayCore

extension ConformanceGroup {
  /// A DNS lookup that fails, or takes long, is the business of the requests that share it.
  static let lookupsApart = ConformanceGroup(
    name: "name lookups",
    cases: [
      .init("an unknown host fails no request to an address") { subject in
        try await survives(subject) { try Request("http://absent.invalid:\($0)/") }
      },
      .init("an unknown proxy fails no direct request", needs: .proxies) { subject in
        for scheme in [Proxy.Scheme.http, .socks5h] {
          try await survives(subject) {
            var request = try Request("http://127.0.0.1:\($0)/")
            request.options.proxy = .proxy(Proxy(scheme, host: "absent-proxy.invalid", port: 8080))
            return request
          }
        }
      },
      .init("an unknown connect-to host fails no request without it", needs: .otherAddresses) { subject in
        try await survives(subject) {
          var request = try Request("http://127.0.0.1:\($0)/")
          request.options.network.connectTo = [ConnectTo(toHost: "absent.invalid")]
          return request
        }
      },
      .init("errors name the proxy of their own request", needs: .proxies) { subject in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<20 {
            var request = try Request("http://127.0.0.1:9/")
            let host = "absent-proxy-\(index % 4).invalid"
            request.options.proxy = .proxy(Proxy(.http, host: host, port: 8080))
            group.addTask { [request] in
              let error = try await expectFailure(.proxyUnreachable) { try await subject.adapter.send(request) }
              try expect(error.message.contains(host), "\(error) does not name \(host)")
            }
          }
          try await group.waitForAll()
        }
      },
    ])

  /// Sends requests to a server together with one that fails, in many rounds. The failing request gets the server's port.
  private static func survives(_ subject: AdapterConformance.Subject, _ failing: (Int) throws -> Request) async throws {
    let server = try RawServer { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    defer { server.stop() }
    let (failing, well) = (try failing(server.port), Request(.post, url: try Request(server.url + "/").url))
    for _ in 0..<10 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await expectFailure(.nameNotFound, .proxyUnreachable) { try await subject.adapter.send(failing) } }
        for _ in 0..<4 { group.addTask { try expectEqual(try await subject.adapter.send(well).status, .noContent) } }
        try await group.waitForAll()
      }
    }
  }
}
