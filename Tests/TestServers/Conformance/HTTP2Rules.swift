package import FaradayCore
package import FaradayTesting

extension AdapterConformance {
  /// The rules of HTTP/2 for another version with streams, as far as they apply to an adapter with these capabilities.
  ///
  /// - Parameter lacks: whether the servers cannot be used for the rule of that name.
  package static func cases(
    of name: String, with servers: StreamServers, for capabilities: Capabilities, lacks: (String) -> Bool
  ) -> [Case] {
    let group = ConformanceGroup.streams(name, needs: [], servers)
    return group.rules.filter { capabilities.contains($0.needs) && !lacks($0.name) }
  }
}

extension ConformanceGroup {
  static let http2: ConformanceGroup = .streams("HTTP/2", needs: .http2, .http2)

  fileprivate static func streams(_ name: String, needs: Capabilities, _ servers: StreamServers) -> ConformanceGroup {
    .init(name: name, needs: needs.union(.customCA), cases: messages(servers) + bodies(servers) + streams(servers))
  }

  private static func messages(_ servers: StreamServers) -> [Case] {
    [
      .init("the version is used if requested", needs: .responseVersion) { subject in
        // A server of its own: an adapter may send over a connection of HTTP/1.1 that is there already.
        let proxy = try servers.proxy(subject.server.port)
        defer { proxy.stop() }
        let response = try await servers.connection(subject, to: proxy).get("hello")
        try expectEqual(response.version, servers.version)
        try expectEqual(try await response.body.utf8Text(), "Hello, world!")
      },
      .init("the version is not used if HTTP/1.1 is requested", needs: [.responseVersion, .http1Only]) { subject in
        let response = try await servers.connection(subject).get("hello") { $0.options.httpVersion = .http1 }
        try expectEqual(response.version, .http1_1)
      },
      .init("every status is a response") { subject in
        for code in [204, 304, 404, 500] {
          try expectEqual(try await servers.connection(subject).get("status/\(code)").status.code, code)
        }
      },
      .init("HEAD has no body") { subject in
        let response = try await servers.connection(subject).head("bytes/1000")
        try expectEqual(response.headers[.contentLength], "1000")
        try expect(response.body.isEmpty)
      },
      .init("request fields are sent") { subject in
        let request = try await Inspected(
          servers.connection(subject).get("inspect") { try $0.headers.append(name: "X-Mine", value: "value") })
        try expectEqual(request.values("x-mine"), ["value"])
      },
      .init("repeated fields stay repeated", needs: .repeatedHeaders) { subject in
        try expectEqual(try await servers.connection(subject).get("cookies").headers[values: .setCookie], ["a=1", "b=2"])
      },
      .init("trailers are known at the end of the body", needs: .trailers) { subject in
        let response = try await servers.connection(subject).get("trailers")
        try expectEqual(try await response.body.utf8Text(), "trailing")
        try expectEqual(response.trailers[try require(.init("X-Checksum"))], "abc")
      },
      .init("trailers of a streamed body are known at its end", needs: [.trailers, .streamedDownload]) { subject in
        let response = try await servers.connection(subject).get("trailers") { $0.options.delivery = .streamed }
        try expectEqual(try await response.body.utf8Text(), "trailing")
        try expectEqual(response.trailers[try require(.init("X-Checksum"))], "abc")
      },
      .init("informational responses are delivered before the final one", needs: .informational) { subject in
        let codes = Log<Int>()
        let response = try await servers.connection(subject).get("early-hints") {
          $0.options.onInformational = { codes.append($0.status.code) }
        }
        try expectEqual(codes.elements, [103])
        try expectEqual(response.status, .ok)
      },
    ]
  }

  private static func bodies(_ servers: StreamServers) -> [Case] {
    BodyKind.allCases.flatMap { kind in
      [10, 60_000, 2_000_000].map { count in
        Case("\(kind.rawValue) of \(count) bytes arrives", needs: kind.needs) { subject in
          let data = pattern(count)
          try await kind.with(data) { body in
            let response = try await servers.connection(subject).post("echo", body: body)
            try expect(try await response.body.collect() == data, "the bytes are others")
          }
        }
      }
    } + [
      .init("a streamed body of 32 MiB arrives", needs: .streamedDownload) { subject in
        let response = try await servers.connection(subject).get("bytes/\(32 << 20)") { $0.options.delivery = .streamed }
        try expect(try await response.body.collect() == pattern(32 << 20), "the bytes are others")
      },
      .init("a buffered body of ten million bytes arrives") { subject in
        let response = try await servers.connection(subject).get("bytes/10000000")
        try expect(response.body.data == pattern(10_000_000), "the bytes are others")
      },
      .init("a compressed body is decoded", needs: .encodedBodies) { subject in
        let response = try await servers.connection(subject).get("gzip/text") { $0.options.decompression = .standard }
        try expectEqual(try await response.body.utf8Text(), "Hello, gzip!")
      },
      .init("a body over the limit fails, and the next request works") { subject in
        let connection = try servers.connection(subject)
        try await expectFailure(.bodyTooLarge) {
          try await connection.get("bytes/5000000") { $0.options.maximumBodySize = 1000 }
        }
        try expectEqual(try await connection.get("hello").status, .ok)
      },
    ]
  }

  private static func streams(_ servers: StreamServers) -> [Case] {
    [
      .init("concurrent requests share one connection") { subject in
        let server = try servers.counting()
        defer { server.stop() }
        let connection = try servers.connection(subject, to: server)
        let numbers = try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<80 {
            group.addTask {
              let text = try await connection.get("connection").body.utf8Text()
              return String(text.prefix { $0 != " " })
            }
          }
          return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        try expectEqual(numbers.count, 1)
      },
      .init("concurrent streams get their own bytes", needs: .streamedDownload) { subject in
        let connection = try servers.connection(subject)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<50 {
            group.addTask {
              let response = try await connection.get("bytes/\(100_000 + index)") { $0.options.delivery = .streamed }
              let whole = try await response.body.collect()
              try expect(whole == pattern(100_000 + index), "the bytes are others")
            }
          }
          try await group.waitForAll()
        }
      },
      .init("cancelling one stream does not affect the others") { subject in
        let connection = try servers.connection(subject)
        let hasBegun = Gate()
        let cancelled = Task {
          try await connection.get("drip?count=1000&interval=50&size=10") {
            $0.options.onChunk = { _ in
              hasBegun.open()
              return .continue
            }
          }
        }
        try expect(await hasBegun.opened())
        async let other = connection.get("drip?count=5&interval=20&size=10")
        cancelled.cancel()
        try await expectThrows(CancellationError.self) { _ = try await cancelled.value }
        try expectEqual(try await other.body.length, 50)
      },
      .init("chunks are delivered as they arrive") { subject in
        try await eachChunkIsSeen(subject, servers)
      },
      .init("a cancelled stream is reset at once", needs: .streamedDownload) { subject in
        let stalling = try Stalling(answering: Stalling.someOfABody)
        defer { stalling.server.stop() }
        let proxy = try servers.proxy(stalling.server.port)
        defer { proxy.stop() }
        var response: Response? = try await servers.connection(subject, to: proxy).get {
          $0.options.delivery = .streamed
        }
        try expectEqual(response?.status, .ok)
        response = nil
        try expect(await stalling.hasClosed.opened(), "the stream is still open")
      },
    ]
  }

  private static func eachChunkIsSeen(_ subject: AdapterConformance.Subject, _ servers: StreamServers) async throws {
    let seen = (0..<5).map { _ in Gate() }
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n0\r\n")
      for index in 1..<5 {
        guard seen[index - 1].wait() else { return }
        try connection.send("1\r\n\(index)\r\n")
      }
      try connection.send("0\r\n\r\n")
      connection.waitForClose()
    }
    defer { server.stop() }
    let proxy = try servers.proxy(server.port)
    defer { proxy.stop() }
    let count = Log<Int>()
    _ = try await servers.connection(subject, to: proxy).get {
      $0.options.onChunk = { bytes in
        for _ in 0..<bytes.byteCount {
          seen[count.elements.count].open()
          count.append(1)
        }
        return .continue
      }
    }
    try expectEqual(count.elements.count, 5)
  }
}
