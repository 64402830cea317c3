internal import FaradayCore

extension ConformanceGroup {
  static let proxies: ConformanceGroup = .init(
    name: "proxies", needs: .proxies,
    cases: [
      .init("a request is sent through its proxy with the proxy's fields") { subject in
        var proxy = Proxy(.http, host: "127.0.0.1", user: "ada", password: "pass:word")
        proxy.headers[try require(HTTPField.Name("X-For-Proxy"))] = "yes"
        let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x")
        try expect(head.hasPrefix("GET http://anywhere.invalid/x HTTP/1.1\r\n"), head)
        try expect(head.contains("\r\nProxy-Authorization: Basic YWRhOnBhc3M6d29yZA==\r\n"), head)
        try expect(head.contains("\r\nX-For-Proxy: yes\r\n"), head)
      },
      .init("CONNECT contains only the proxy's fields") { subject in
        var proxy = Proxy(.http, host: "127.0.0.1")
        proxy.tunnels = true
        proxy.headers[try require(HTTPField.Name("X-For-Proxy"))] = "yes"
        let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x")
        try expect(head.hasPrefix("CONNECT anywhere.invalid:80 HTTP/1.1\r\n"), head)
        try expect(head.contains("\r\nX-For-Proxy: yes\r\n") && !head.contains("X-Mine"), head)
      },
      .init("a proxy applies to its request only") { subject in
        _ = try await receivedHead(subject, Proxy(.http, host: "127.0.0.1"), "http://127.0.0.1:\(subject.server.port)/hello")
        try expectEqual(subject.server.requestCount, 0)
        try expectEqual(try await subject.connection.get("hello").body.utf8Text(), "Hello, world!")
      },
      .init("excluded hosts are connected to directly") { subject in
        var proxy = Proxy(.http, host: "proxy.invalid", port: 1)
        proxy.exceptions = ["127.0.0.1"]
        let response = try await subject.connection.get("hello") { [proxy] in $0.options.proxy = .proxy(proxy) }
        try expectEqual(response.status, .ok)
      },
      .init("exceptions can be names with subdomains, addresses and ranges") { subject in
        for (exceptions, host, isDirect) in [
          (["*"], "127.0.0.1", true), (["127.0.0.0/8"], "127.0.0.1", true), (["localhost"], "localhost", true),
          (["other.invalid, 127.0.0.1"], "127.0.0.1", true), (["host"], "localhost", false), ([], "127.0.0.1", false),
          (["10.0.0.0/8"], "127.0.0.1", false),
        ] {
          let proxy = try RawServer.refusing()
          var selected = Proxy(.http, host: "127.0.0.1", port: proxy.port)
          selected.exceptions = exceptions
          let request = try Request("http://\(host):\(subject.server.port)/hello", through: selected)
          try expectEqual(try await subject.adapter.send(request).status, isDirect ? .ok : .forbidden)
          try expectEqual(proxy.connectionCount, isDirect ? 0 : 1)
        }
      },
      .init("a failed connection to the proxy is a proxy failure") { subject in
        let refused = try RefusedPort()
        for (scheme, url) in Proxy.Scheme.allCases.flatMap({ scheme in
          ["http://127.0.0.1:\(subject.server.port)/hello", "https://127.0.0.1:\(subject.server.port)/hello"].map { (scheme, $0) }
        }) {
          for proxy in [Proxy(scheme, host: "127.0.0.1", port: refused.port), Proxy(scheme, host: "nothing.invalid", port: 1)] {
            let error = try await expectFailure(.proxyUnreachable) {
              try await subject.adapter.send(try Request(url, through: proxy))
            }
            try expect(error.isTransient && [.connecting, .resolving].contains(error.phase), "\(error)")
          }
        }
        try expectEqual(subject.server.connectionCount, 0)
      },
      .init("a proxy that closes before its tunnel is open is a proxy failure") { subject in
        for (scheme, resets) in Proxy.Scheme.allCases.flatMap({ scheme in [true, false].map { (scheme, $0) } }) {
          for answer in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 407 Denied\r\nContent-Length: 100\r\n\r\n"] {
            guard scheme == .http || answer.isEmpty else { continue }
            let server = try RawServer { connection in
              _ = try connection.readSome(upTo: 16 << 10)
              try connection.send(answer)
              if resets { connection.reset() } else { connection.close() }
            }
            defer { server.stop() }
            // Whether a SOCKS proxy, or one with half an answer, has answered, depends on the version of libcurl; and over GnuTLS it does
            // not say whether the head after a 200 was complete.
            let isSilent = !scheme.isSOCKS && answer.isEmpty
            let codes: [TransportError.Code] =
              [.proxyUnreachable] + (isSilent ? [] : [.proxyFailed]) + (answer.contains("200") ? [.connectionFailed] : [])
            let error = try await expectFailure(in: codes) {
              try await subject.adapter.send(
                try Request("https://127.0.0.1:9/", through: Proxy(scheme, host: "127.0.0.1", port: server.port)))
            }
            try expect([.connecting, .tls].contains(error.phase), "\(error)")
          }
        }
      },
      .init("a proxy that refuses a tunnel is a permanent failure") { subject in
        // An interim response before the 200 ends the exchange in all versions of libcurl.
        for answer in [
          "403 Forbidden", "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic", "502 Bad Gateway",
          "100 Continue\r\n\r\nHTTP/1.1 200 OK", "103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK",
        ] {
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 \(answer)\r\n" + (answer.hasSuffix("200 OK") ? "\r\n" : "Content-Length: 0\r\n\r\n"))
            connection.waitForClose()
          }
          defer { server.stop() }
          let error = try await expectFailure(.proxyFailed) {
            try await subject.adapter.send(
              try Request("https://127.0.0.1:9/", through: Proxy(.http, host: "127.0.0.1", port: server.port)))
          }
          try expect(!error.isTransient && error.phase == .connecting, "\(error)")
          try expect(error.message.contains(answer.prefix(3)), "\(error)")
          try expectEqual(server.connectionCount, 1)
        }
      },
      .init("a failure inside the tunnel is not a proxy failure") { subject in
        for resets in [true, false] {
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            _ = try connection.readSome(upTo: 16 << 10)
            if resets { connection.reset() } else { try connection.send("this is not TLS") }
            connection.waitForClose()
          }
          defer { server.stop() }
          // OpenSSL's own alert may find the connection broken before its error is reported.
          try await expectFailure(in: [.connectionFailed] + (resets ? [] : [.tlsFailed])) {
            try await subject.adapter.send(
              try Request("https://127.0.0.1:9/", through: Proxy(.http, host: "127.0.0.1", port: server.port)))
          }
        }
        let refused = try RefusedPort()
        var proxy = Proxy(.http, host: "nothing.invalid")
        proxy.exceptions = ["127.0.0.1"]
        try await expectFailure(.connectionFailed) { [proxy] in
          try await subject.adapter.send(try Request("http://127.0.0.1:\(refused.port)/", through: proxy))
        }
      },
      .init("a proxy with an endless response is abandoned") { subject in
        for (name, head, piece) in ConformanceGroup.endless {
          for (url, needsTunnel) in [("http://127.0.0.1:9/", false), ("https://127.0.0.1:9/", true)] {
            let server = try RawServer { connection in
              _ = try connection.readHead()
              try connection.send("HTTP/1.1 407 Denied\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n" + head)
              while true { try connection.send(piece) }
            }
            defer { server.stop() }
            var proxy = Proxy(.http, host: "127.0.0.1", port: server.port, user: "ada", password: "secret")
            proxy.authentication = .digest
            let error = try await expectFailure(needsTunnel ? .proxyFailed : .bodyTooLarge) { [proxy] in
              try await subject.adapter.send(try Request(url, through: proxy))
            }
            try expect(!error.isTransient, "\(name): \(error)")
          }
        }
      },
      .init("OPTIONS in asterisk form is sent with and without a proxy", needs: [.asteriskTarget, .otherAddresses]) {
        subject in
        let lines = Log<String>()
        let server = try RawServer { connection in
          while true {
            let line = String(try connection.readHead().prefix { $0 != "\r\n" })
            lines.append(line)
            try connection.send(
              line.hasPrefix("CONNECT") ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          }
        }
        defer { server.stop() }
        var (excepted, tunnelled) = (
          Proxy(.http, host: "127.0.0.1", port: server.port), Proxy(.http, host: "127.0.0.1", port: server.port)
        )
        excepted.exceptions = ["127.0.0.1"]
        tunnelled.tunnels = true
        let (origin, direct) = ("http://anywhere.invalid", server.url)
        let change: @Sendable (inout Request) -> Void = { $0.options.network.connectTo = [ConnectTo(toHost: "other.invalid")] }
        for (url, proxy, edit, expected) in [
          (origin, Proxy(.http, host: "127.0.0.1", port: server.port), { _ in }, "OPTIONS \(origin) HTTP/1.1"),
          (direct, excepted, { _ in }, "OPTIONS * HTTP/1.1"), (origin, tunnelled, { _ in }, "OPTIONS * HTTP/1.1"),
          // libcurl makes a tunnel for it.
          (origin, Proxy(.http, host: "127.0.0.1", port: server.port), change, "OPTIONS * HTTP/1.1"),
        ] as [(String, Proxy, @Sendable (inout Request) -> Void, String)] {
          var request = try Request(.options, url + "/x")
          request.options.requestTarget = .asterisk
          request.options.proxy = .proxy(proxy)
          edit(&request)
          try expectEqual(try await subject.adapter.send(request).status, .ok)
          try expectEqual(lines.elements.last, expected)
        }
      },
      .init("a proxy field replaces libcurl's own") { subject in
        var proxy = Proxy(.http, host: "127.0.0.1")
        let name = try require(HTTPField.Name("Proxy-Connection"))
        proxy.headers[name] = "close"
        for tunnels in [false, true] {
          proxy.tunnels = tunnels
          let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x")
          try expectEqual(head.lowercased().split(separator: "proxy-connection:").count, 2)
          try expect(head.contains("\r\nProxy-Connection: close\r\n"), head)
        }
        // The request's own field is for the server, and is sent as it was set.
        for tunnels in [false, true] {
          proxy.tunnels = tunnels
          proxy.headers = [:]
          let head = try await receivedHead(subject, proxy, "http://anywhere.invalid/x") { $0.headers[name] = "close" }
          try expectEqual(head.lowercased().split(separator: "proxy-connection:").count, 2)
        }
      },
      .init("an invalid proxy is refused", needsWire: false) { subject in
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
      .init("a proxy field with a line break is refused", needsWire: false) { subject in
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
  private static func receivedHead(
    _ subject: AdapterConformance.Subject, _ proxy: Proxy, _ url: String, edit: (inout Request) -> Void = { _ in }
  ) async throws -> String {
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
    edit(&request)
    // A tunnel that is refused is an error.
    do { _ = try await subject.adapter.send(request) } catch let error as TransportError {
      try expectEqual(error.code, .proxyFailed)
    }
    return try require(heads.elements.first)
  }
}

extension RawServer {
  /// A server that answers each request with 403.
  fileprivate static func refusing() throws -> RawServer {
    try RawServer { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }
}

extension Request {
  /// A GET through that proxy.
  fileprivate init(_ url: String, through proxy: Proxy) throws {
    try self.init(url)
    options.proxy = .proxy(proxy)
  }
}
