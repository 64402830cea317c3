internal import FaradayCore

extension ConformanceGroup {
  static let proxies: ConformanceGroup = .init(
    name: "proxies", needs: .proxies,
    cases: [
      .init("a request is sent through its proxy, with the fields for it") { subject in
        var proxy = Proxy(.http, host: "127.0.0.1", user: "ada", password: "pass:word")
        proxy.headers[try require(HTTPField.Name("X-For-Proxy"))] = "yes"
        let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x")
        try expect(head.hasPrefix("GET http://anywhere.invalid/x HTTP/1.1\r\n"), head)
        try expect(head.contains("\r\nProxy-Authorization: Basic YWRhOnBhc3M6d29yZA==\r\n"), head)
        try expect(head.contains("\r\nX-For-Proxy: yes\r\n"), head)
      },
      .init("a tunnel is asked for, with the fields for the proxy only") { subject in
        var proxy = Proxy(.http, host: "127.0.0.1")
        proxy.tunnels = true
        proxy.headers[try require(HTTPField.Name("X-For-Proxy"))] = "yes"
        let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x")
        try expect(head.hasPrefix("CONNECT anywhere.invalid:80 HTTP/1.1\r\n"), head)
        try expect(head.contains("\r\nX-For-Proxy: yes\r\n") && !head.contains("X-Mine"), head)
      },
      .init("one request's proxy is not the next one's") { subject in
        _ = try await receivedHead(subject, Proxy(.http, host: "127.0.0.1"), "http://127.0.0.1:\(subject.server.port)/hello")
        try expectEqual(subject.server.requestCount, 0)
        try expectEqual(try await subject.connection.get("hello").body.text(), "Hello, world!")
      },
      .init("exceptions are connected to directly") { subject in
        var proxy = Proxy(.http, host: "proxy.invalid", port: 1)
        proxy.exceptions = ["127.0.0.1"]
        let response = try await subject.connection.get("hello") { [proxy] in $0.options.proxy = .proxy(proxy) }
        try expectEqual(response.status, .ok)
      },
      .init("a proxy that is not one is refused", needsWire: false) { subject in
        for proxy in [
          Proxy(.http, host: ""), Proxy(.http, host: "a b"), Proxy(.http, host: "h", port: 99_999),
          Proxy(.http, host: "h", user: "a\0b"),
        ] {
          let error = try await expectFailure(.invalidOption) {
            try await subject.connection.get("hello") { $0.options.proxy = .proxy(proxy) }
          }
          try expectEqual(error.phase, .building)
        }
      },
      .init("a field that would end its line is refused", needsWire: false) { subject in
        var proxy = Proxy(.http, host: "127.0.0.1")
        let name = try require(HTTPField.Name("X-For-Proxy"))
        proxy.headers = [name: "a"]
        proxy.headers.append(HTTPField(name: name, lenientValue: "b\rc".utf8))
        guard proxy.headers[name]?.contains("\r") == true else { return }
        try await expectFailure(.invalidHeader) { [proxy] in
          try await subject.connection.get("hello") { $0.options.proxy = .proxy(proxy) }
        }
      },
    ])

  /// The head that the proxy gets.
  private static func receivedHead(_ subject: AdapterConformance.Subject, _ proxy: Proxy, _ url: String) async throws -> String {
    let heads = Log<String>()
    let server = try RawServer { connection in
      heads.append(try connection.readHead())
      try connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    defer { server.stop() }
    var proxy = proxy
    proxy.port = server.port
    var request = try Request(url)
    request.headers[try require(HTTPField.Name("X-Mine"))] = "mine"
    request.options.proxy = .proxy(proxy)
    // A tunnel that is refused is an error.
    do { _ = try await subject.adapter.send(request) } catch let error as TransportError {
      try expectEqual(error.code, .proxyFailed)
    }
    return try require(heads.elements.first)
  }
}
