internal import FaradayCore

extension ConformanceGroup {
  /// Which requests to one origin share connections, by their options. No request closes a connection that others can use.
  static let sharedConnections = ConformanceGroup(
    name: "shared connections",
    cases: [
      shared("the delay of happy eyeballs", needs: .ipVersion) { $0.network.happyEyeballsDelay = .milliseconds(100 + $1) },
      shared("options of TCP", needs: .tcpOptions) {
        $0.network.tcpNoDelay = $1 == 0
        $0.network.tcpKeepAlive = .seconds(30 + $1)
      },
      shared("the TCP user timeout", needs: .tcpUserTimeout) { $0.network.tcpUserTimeout = .seconds(30 + $1) },
      shared("addresses of other hosts", needs: .otherAddresses) {
        $0.network.hostOverrides = [HostOverride("other\($1).invalid", addresses: ["127.0.0.3"])]
      },
      shared("the fields for a forwarding proxy", needs: .proxies, through: .http) { options, index in
        guard case .proxy(var proxy) = options.proxy else { return }
        proxy.headers[.userAgent] = "\(index)"
        options.proxy = .proxy(proxy)
      },
      apart("local addresses", count: 3, needs: .localAddress) { $0.network.localAddress = $1 == 0 ? nil : "127.0.0.1\($1)" },
      apart("credentials for a proxy", count: 3, needs: .proxies, through: .http) { options, index in
        guard case .proxy(var proxy) = options.proxy else { return }
        (proxy.user, proxy.password) = ("user\(index)", "password")
        options.proxy = .proxy(proxy)
      },
      apart("versions of IP", count: 2, needs: .ipVersion) { $0.network.ipVersion = $1 == 0 ? .any : .v4 },
      .init("TCP options are applied per request, also on a kept connection", needs: .tcpOptions) { subject in
        let server = try answering()
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        let first = try await connection.get()
        let client = try require(first.headers[.from].flatMap { Int($0) })
        try expectEqual(TCPOptions(localPort: client, remotePort: server.port), TCPOptions(noDelay: true, keepAlive: 60))
        for (noDelay, keepAlive) in [(false, 77), (true, nil), (true, 60)] as [(Bool, Int?)] {
          let response = try await connection.get {
            $0.options.network.tcpNoDelay = noDelay
            $0.options.network.tcpKeepAlive = keepAlive.map { .seconds($0) }
          }
          try expectEqual(response.headers[.from], "\(client)")
          try expectEqual(
            TCPOptions(localPort: client, remotePort: server.port), TCPOptions(noDelay: noDelay, keepAlive: keepAlive))
        }
      },
      .init("the TCP user timeout is applied per request, also on a kept connection", needs: .tcpUserTimeout) { subject in
        let server = try answering()
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        var ports: Set<String?> = []
        let timeouts: [(Duration?, milliseconds: Int)] = [
          (.milliseconds(12_345), 12_345), (nil, 0), (.seconds(20), 20_000), (.zero, 1), (.seconds(1e12), Int(Int32.max)),
        ]
        for (timeout, milliseconds) in timeouts {
          let response = try await connection.get { $0.options.network.tcpUserTimeout = timeout }
          ports.insert(response.headers[.from])
          let client = try require(response.headers[.from].flatMap { Int($0) })
          try expectEqual(
            TCPOptions(localPort: client, remotePort: server.port),
            TCPOptions(noDelay: true, keepAlive: 60, userTimeout: milliseconds))
        }
        try expectEqual(ports.count, 1)
      },
    ])

  /// A server that answers each request with the client's port.
  private static func answering() throws -> RawServer {
    try RawServer { connection in
      while true {
        _ = try connection.readHead()
        let port = connection.client.map { "\($0.port)" } ?? ""
        try connection.send("HTTP/1.1 200 OK\r\nFrom: \(port)\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }

  /// The number of connections of twelve requests with three kinds of options, which `set` gets by their numbers.
  private static func connections(
    _ subject: AdapterConformance.Subject, through scheme: Proxy.Scheme?,
    _ set: @Sendable (inout Options, _ index: Int) -> Void
  ) async throws -> Int {
    let server = try answering()
    defer { server.stop() }
    for index in 0..<12 {
      var request = try Request(scheme == nil ? server.url + "/" : "http://anywhere.invalid/")
      if let scheme { request.options.proxy = .proxy(Proxy(scheme, host: "127.0.0.1", port: server.port)) }
      set(&request.options, index % 3)
      try expectEqual(try await subject.adapter.send(request).status, .ok)
    }
    return server.connectionCount
  }

  private static func shared(
    _ name: String, needs: Capabilities, through scheme: Proxy.Scheme? = nil,
    _ set: @escaping @Sendable (inout Options, _ index: Int) -> Void
  ) -> Case {
    Case("requests that differ in \(name) share connections", needs: needs) { subject in
      try expectEqual(try await connections(subject, through: scheme, set), 1)
    }
  }

  private static func apart(
    _ name: String, count: Int, needs: Capabilities, through scheme: Proxy.Scheme? = nil,
    _ set: @escaping @Sendable (inout Options, _ index: Int) -> Void
  ) -> Case {
    Case("requests that differ in \(name) have separate connections, which are kept", needs: needs) { subject in
      try expectEqual(try await connections(subject, through: scheme, set), count)
    }
  }
}
