internal import FaradayCore

extension ConformanceGroup {
  static let addressPolicies: ConformanceGroup = .init(
    name: "address policy", needs: .addressPolicy,
    cases: [
      "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1.", "0", "[::1]",
      "[::ffff:127.0.0.1]",
      "[0:0:0:0:0:ffff:7f00:1]", "[::]", "%31%32%37.0.0.1", "①②⑦.0.0.1",
    ].map { host in
      Case("no spelling reaches a local server: \(host)") { subject in
        // Some are no hosts for one parser or another: then nothing is sent either.
        guard let url = URL(string: "http://\(host):\(subject.server.port)/hello") else { return }
        let error = try await expectFailure(.addressForbidden, .nameNotFound, .invalidURL, .connectionFailed) {
          var request = Request(.get, url: url)
          request.options.addressPolicy = .publicOnly
          return try await subject.adapter.send(request)
        }
        try expectEqual(subject.server.connectionCount, 0)
        if ["127.0.0.1", "localhost", "2130706433"].contains(host) {
          let refused = try require(error.underlying as? ForbiddenAddressError, "\(error) has no address")
          try expect(["127.0.0.1", "::1"].contains(refused.address?.description), "\(refused)")
          try expect(error.message.contains(refused.address?.description ?? "?"), error.message)
        }
      }
    } + [
      .init("an allowed address is connected to") { subject in
        var policy = AddressPolicy.publicOnly
        policy.allowed = [try IPAddressRange("127.0.0.0/8")]
        let response = try await subject.connection.get("hello") { [policy] in $0.options.addressPolicy = policy }
        try expectEqual(response.status, .ok)
      },
      .init("the unspecified address is forbidden like the loopback addresses, before connecting") { subject in
        for (host, range) in [("0.0.0.0", "127.0.0.0/8"), ("[::]", "::1"), ("[::ffff:0.0.0.0]", "127.0.0.0/8")] {
          let error = try await expectFailure(.addressForbidden, .invalidURL) {
            var request = try Request("http://\(host):\(subject.server.port)/hello")
            request.options.addressPolicy = AddressPolicy(forbidden: [try IPAddressRange(range)])
            return try await subject.adapter.send(request)
          }
          if host == "0.0.0.0" { try expectEqual(error.code, .addressForbidden) }
        }
        try expectEqual(subject.server.connectionCount, 0)
      },
      .init("a forbidden port is refused") { subject in
        var policy = AddressPolicy(forbidden: [])
        policy.forbiddenPorts = [subject.server.port]
        try await expectFailure(.addressForbidden) { [policy] in
          try await subject.connection.get("hello") { $0.options.addressPolicy = policy }
        }
        policy.forbiddenPorts = []
        policy.allowedPorts = [443]
        try await expectFailure(.addressForbidden) { [policy] in
          try await subject.connection.get("hello") { $0.options.addressPolicy = policy }
        }
        try expectEqual(subject.server.connectionCount, 0)
      },
      .init("a kept connection of a request without a policy is not used") { subject in
        _ = try await subject.connection.get("hello")
        try await expectFailure(.addressForbidden) {
          try await subject.connection.get("hello") { $0.options.addressPolicy = .publicOnly }
        }
        try expectEqual(subject.server.requestCount, 1)
      },
      .init("only the allowed ones of several addresses are tried", needs: .otherAddresses) { subject in
        var policy = AddressPolicy(forbidden: [try IPAddressRange("::/0")])
        policy.allowed = []
        var request = try Request("http://nowhere.invalid:\(subject.server.port)/hello")
        request.options.network.hostOverrides = [HostOverride("*", addresses: ["::1", "127.0.0.1"])]
        request.options.addressPolicy = policy
        try expectEqual(try await subject.adapter.send(request).status, .ok)
        request.options.addressPolicy = .publicOnly
        try await expectFailure(.addressForbidden) { [request] in try await subject.adapter.send(request) }
        try expectEqual(subject.server.requestCount, 1)
      },
      .init("addresses of host overrides are checked too", needs: .otherAddresses) { subject in
        try await expectFailure(.addressForbidden) {
          var request = try Request("http://public.example:\(subject.server.port)/hello")
          request.options.network.connectTo = [ConnectTo(toHost: "127.0.0.1")]
          request.options.addressPolicy = .publicOnly
          return try await subject.adapter.send(request)
        }
      },
      .init("Unix sockets are forbidden unless allowed", needs: .unixSockets) { subject in
        try await expectFailure(.addressForbidden) {
          try await subject.connection.get("hello") {
            $0.options.network.unixSocket = "/nonexistent/socket"
            $0.options.addressPolicy = .publicOnly
          }
        }
        try await expectFailure(.connectionFailed) {
          try await subject.connection.get("hello") {
            $0.options.network.unixSocket = "/nonexistent/socket"
            $0.options.addressPolicy = .publicOnly
            $0.options.addressPolicy?.allowsUnixSockets = true
          }
        }
      },
      .init("a proxy that does not check addresses is refused by name", needs: .proxies) { subject in
        var policy = AddressPolicy(forbidden: [])
        for scheme in Proxy.Scheme.allCases {
          for url in ["http://192.0.2.1/", "https://192.0.2.1/"] {
            let error = try await expectFailure(.addressForbidden) { [policy] in
              var request = try Request(url)
              request.options.addressPolicy = policy
              request.options.proxy = .proxy(Proxy(scheme, host: "127.0.0.1", port: subject.server.port))
              return try await subject.adapter.send(request)
            }
            try expect(error.message.contains("proxy \(scheme.rawValue)://127.0.0.1:\(subject.server.port)"), "\(error)")
            try expect(error.underlying is ForbiddenAddressError && !error.isTransient, "\(error)")
          }
        }
        try expectEqual(subject.server.connectionCount, 0)
        // Around the proxy the addresses are checked here.
        policy.forbidden = [try IPAddressRange("127.0.0.0/8")]
        for allows in [false, true] {
          policy.forbidden = allows ? [] : policy.forbidden
          var proxy = Proxy(.http, host: "nothing.invalid")
          proxy.exceptions = ["127.0.0.1"]
          let exchange: @Sendable () async throws -> Response = { [policy, proxy] in
            try await subject.connection.get("hello") {
              $0.options.addressPolicy = policy
              $0.options.proxy = .proxy(proxy)
            }
          }
          if allows {
            try expectEqual(try await exchange().status, .ok)
          } else {
            try await expectFailure(.addressForbidden) { try await exchange() }
          }
        }
        policy.allowsProxies = true
        let response = try await subject.connection.get("hello") { [policy] in
          $0.options.addressPolicy = policy
          $0.options.proxy = .proxy(Proxy(.http, host: "127.0.0.1", port: subject.server.port))
        }
        try expectEqual(response.status, .ok)
      },
      .init("the address of a proxy that checks addresses is checked", needs: .proxies) { subject in
        try await expectFailure(.addressForbidden) {
          var request = try Request("http://192.0.2.1/")
          request.options.addressPolicy = .publicOnly
          request.options.addressPolicy?.allowsProxies = true
          request.options.proxy = .proxy(Proxy(.http, host: "127.0.0.1", port: subject.server.port))
          return try await subject.adapter.send(request)
        }
        try expectEqual(subject.server.connectionCount, 0)
      },
    ])
}
