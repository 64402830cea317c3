internal import FaradayCore

extension ConformanceGroup {
  static let connectionReuse: ConformanceGroup = .init(
    name: "connection reuse",
    cases: [
      "hello", "status/204", "status/304", "status/404", "status/500", "bytes/0", "bytes/3000000", "bytes/100000?chunked=1000",
      "trailers", "early-hints", "redirect/1",
    ].map { path in
      Case("/\(path) keeps its connection reusable", needs: path == "trailers" ? .trailers : []) { subject in
        let connection = try subject.connection
        for _ in 0..<3 { _ = try await connection.get(path) }
        try expectEqual(try await connection.get("hello").body.utf8Text(), "Hello, world!")
        try expectEqual(subject.server.connectionCount, 1)
      }
    } + [
      .init("sequential requests use one connection") { subject in
        let connection = try subject.connection
        for _ in 0..<20 { try expectEqual(try await connection.get("hello").status, .ok) }
        try expectEqual(subject.server.connectionCount, 1)
      },
      .init("sequential requests with bodies use one connection", needs: .uploadReuse) { subject in
        let connection = try subject.connection
        for _ in 0..<5 { _ = try await connection.post("echo", body: .data(pattern(200_000))) }
        try expectEqual(try await connection.get("hello").status, .ok)
        try expectEqual(subject.server.connectionCount, 1)
      },
      .init("uploads keep their connections reusable", needs: [.streamedUpload, .uploadReuse]) { subject in
        for kind in BodyKind.streamed {
          try await kind.with(pattern(200_000)) { body in
            _ = try await subject.connection.post("upload", body: body)
          }
        }
        try expectEqual(subject.server.connectionCount, 1)
      },
      .init("a streamed body that was read keeps its connection reusable", needs: .streamedDownload) { subject in
        let connection = try subject.connection
        for _ in 0..<10 {
          let response = try await connection.get("bytes/100000") { $0.options.delivery = .streamed }
          try expectEqual(try await response.body.collect().count, 100_000)
        }
        try expectEqual(subject.server.connectionCount, 1)
      },
      .init("copies of an adapter share connections") { subject in
        for _ in 0..<3 {
          let copy = subject.adapter
          _ = try await copy.send(try Request(subject.server.url + "/hello"))
        }
        try expectEqual(subject.server.connectionCount, 1)
      },
      .init("a response with Connection: close ends the reuse of its connection") { subject in
        let connection = try subject.connection
        for _ in 0..<3 { try expectEqual(try await connection.get("close").status, .ok) }
        try expectEqual(subject.server.connectionCount, 3)
      },
      .init("an HTTP/1.0 response ends the reuse of its connection") { subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        for _ in 0..<3 { try expectEqual(try await connection.get().body.utf8Text(), "ok") }
        try expectEqual(server.connectionCount, 3)
      },
      .init("a kept connection that dies with the next request does not fail it") { subject in
        let server = try RawServer { connection in
          for round in 0... {
            _ = try connection.readHead()
            if connection.index == 0 && round == 1 { return connection.reset() }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        for _ in 0..<3 { try expectEqual(try await connection.get().body.utf8Text(), "ok") }
      },
      .init("metrics report the reuse", needs: .metrics) { subject in
        let connection = try subject.connection
        let first = try await connection.get("hello")
        try expect(!first.metrics.isConnectionReused)
        let second = try await connection.get("hello")
        try expect(second.metrics.isConnectionReused)
      },
    ])
}
