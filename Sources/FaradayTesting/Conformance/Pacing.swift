internal import FaradayCore

extension ConformanceGroup {
  static let pacing: ConformanceGroup = .init(
    name: "rates and timeouts",
    cases: [
      .init("the receive rate is limited", needs: .rateLimits) { subject in
        let start = ContinuousClock.now
        let response = try await subject.connection.get("bytes/60000") { $0.options.rates.maximumReceive = 60_000 }
        try expectEqual(try await response.body.collect(upTo: .max).count, 60_000)
        try expect(ContinuousClock.now - start > .milliseconds(500), "60,000 bytes came in \(ContinuousClock.now - start)")
      },
      .init("the send rate is limited", needs: [.rateLimits, .streamedUpload]) { subject in
        let start = ContinuousClock.now
        let response = try await subject.connection.post("echo") {
          $0.body = .stream(Pieces(size: 400_000))
          $0.options.rates.maximumSend = 200_000
        }
        try expectEqual(try await response.body.collect(upTo: .max).count, 400_000)
        try expect(ContinuousClock.now - start > .milliseconds(300), "400,000 bytes were sent in \(ContinuousClock.now - start)")
      },
      .init("a rate of zero is refused", needs: .rateLimits, needsWire: false) { subject in
        try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") { $0.options.rates.maximumReceive = 0 }
        }
      },
      .init("a transfer below the minimum rate for too long ends", needs: .minimumRate) { subject in
        let error = try await expectFailure(.tooSlow) {
          try await subject.connection.get("drip?count=1000&interval=100&size=1") {
            $0.options.rates.minimum = 1000
            $0.options.rates.minimumFor = .seconds(1)
          }
        }
        try expect(error.isTimeout)
      },
      .init("the first-byte timeout expires", needs: .phaseTimeouts) { subject in
        try await expectFailure(.firstByteTimeout) {
          try await subject.connection.get("stall") { $0.options.timeouts.firstByte = .milliseconds(100) }
        }
      },
      .init(
        "the first-byte timeout applies to the response after a challenge",
        needs: [.phaseTimeouts, .authentication]
      ) { subject in
        // The body of the challenge takes longer than the timeout, so that this is over when the second request is sent.
        let server = try RawServer { connection in
          _ = try connection.readHead()
          let challenge = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""
          try connection.send("HTTP/1.1 401 Unauthorized\r\n\(challenge)\r\nContent-Length: 1\r\n\r\n")
          try connection.pause(milliseconds: 400)
          try connection.send("x")
          connection.waitForClose()
        }
        defer { server.stop() }
        try await expectFailure(.firstByteTimeout) {
          try await subject.connection(to: server).get {
            $0.options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: .digest)
            // Buffered delivery may have a deadline of its own, at which all timeouts are looked at.
            $0.options.delivery = .streamed
            $0.options.timeouts.firstByte = .milliseconds(200)
            $0.options.timeouts.idle = nil
            $0.options.timeouts.total = .seconds(20)
          }
        }
      },
      .init("the first-byte timeout does not limit the body", needs: .phaseTimeouts) { subject in
        let response = try await subject.connection.get("drip?count=25&interval=100&size=1") {
          $0.options.timeouts.firstByte = .seconds(2)
        }
        try expectEqual(try await response.body.collect(upTo: .max).count, 25)
      },
      .init("the TLS timeout expires", needs: [.phaseTimeouts, .unverifiedTLS]) { subject in
        let server = try RawServer { $0.waitForClose() }
        defer { server.stop() }
        let request = try Request(server.url.replacing("http://", with: "https://"))
        let error = try await expectFailure(.tlsTimeout) {
          var request = request
          request.options.timeouts.tls = .milliseconds(200)
          return try await subject.adapter.send(request)
        }
        try expectEqual(error.phase, .tls)
      },
      .init("the lookup timeout expires", needs: [.phaseTimeouts, .dnsOverHTTPS]) { subject in
        // A resolver that never answers.
        let resolver = try RawServer { $0.waitForClose() }
        defer { resolver.stop() }
        let error = try await expectFailure(.resolveTimeout) {
          var request = try Request("http://name.example/")
          request.options.network.dnsOverHTTPS = "https://127.0.0.1:\(resolver.port)/dns-query"
          request.options.timeouts.resolve = .milliseconds(200)
          return try await subject.adapter.send(request)
        }
        try expectEqual(error.phase, .resolving)
      },
      .init("a total timeout can count from the start of the transfer", needs: .phaseTimeouts) { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get("stall") { $0.options.timeouts.totalExcludingQueue = .milliseconds(100) }
        }
      },
    ])
}
