internal import FaradayCore

extension ConformanceGroup {
  static let metrics: ConformanceGroup = .init(
    name: "metrics",
    cases: [
      .init("bytes of bodies are counted in each direction") { subject in
        let metrics = try await subject.connection.post("echo", body: .data(pattern(100_000))).metrics
        try expectEqual(metrics.bytesSent, 100_000)
        try expectEqual(metrics.bytesReceived, 100_000)
      },
      .init("small bodies are counted") { subject in
        let metrics = try await subject.connection.put("upload", body: "small").metrics
        try expectEqual(metrics.bytesSent, 5)
        try expect(metrics.bytesReceived > 0)
      },
      .init("without bodies no bytes are counted") { subject in
        let metrics = try await subject.connection.get("status/204").metrics
        try expectEqual(metrics.bytesSent, 0)
        try expectEqual(metrics.bytesReceived, 0)
      },
      .init("a streamed upload is counted", needs: .streamedUpload) { subject in
        let metrics = try await subject.connection.post("upload", body: .stream(Pieces("ab", "c"))).metrics
        try expectEqual(metrics.bytesSent, 3)
      },
      .init("the first byte precedes the last byte") { subject in
        let metrics = try await subject.connection.get("bytes/100000").metrics
        let firstByte = try require(metrics.firstByte)
        let total = try require(metrics.total)
        try expect(.zero < firstByte && firstByte <= total, "\(firstByte) and \(total)")
      },
      .init("the first byte of a response follows the end of the upload") { subject in
        let waited = Log<Duration>()
        let server = try RawServer { connection in
          _ = try connection.readHead()
          let start = ContinuousClock.now
          try connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
          _ = try connection.read(exactly: 100_000)
          try connection.pause(milliseconds: 50)
          waited.append(ContinuousClock.now - start)
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          connection.waitForClose()
        }
        defer { server.stop() }
        let metrics = try await subject.connection(to: server).put(body: .data(pattern(100_000))).metrics
        let firstByte = try require(metrics.firstByte)
        try expect(firstByte >= waited.elements[0], "\(firstByte), and the server waited \(waited.elements[0])")
        try expect(firstByte <= metrics.total ?? .zero)
      },
      .init("metrics of a streamed body are complete at its end", needs: .streamedDownload) { subject in
        let response = try await subject.connection.get("bytes/5000000") { $0.options.delivery = .streamed }
        try expect(response.metrics.firstByte != nil)
        try expectEqual(try await response.body.collect().count, 5_000_000)
        try expectEqual(response.metrics.bytesReceived, 5_000_000)
        try expect(response.metrics.total != nil)
      },
      .init("phases are in order", needs: .metrics) { subject in
        let metrics = try await subject.connection.get("hello").metrics
        let times = [metrics.queue, metrics.connect, metrics.firstByte, metrics.total].compactMap { $0 }
        try expectEqual(times.count, 4)
        try expectEqual(times, times.sorted())
        try expectEqual(metrics.tls, nil)
        try expect(!metrics.isConnectionReused)
      },
      .init("a reused connection has no connection phases", needs: .metrics) { subject in
        let connection = try subject.connection
        _ = try await connection.get("hello")
        let metrics = try await connection.get("hello").metrics
        try expect(metrics.isConnectionReused)
        try expectEqual(metrics.connect, nil)
        try expectEqual(metrics.resolve, nil)
      },
      .init("the server's address is reported", needs: .metrics) { subject in
        let address = try await subject.connection.get("hello").metrics.remoteAddress
        try expectEqual(address, "127.0.0.1:\(subject.server.port)")
      },
      .init("an IPv6 address is reported in brackets", needs: .metrics) { subject in
        // Not every machine has that interface.
        guard
          let server = try? RawServer(
            on: .ipv6,
            onConnection: { connection in
              _ = try connection.readHead()
              try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
              connection.waitForClose()
            })
        else { return }
        defer { server.stop() }
        let address = try await subject.connection(to: server).get().metrics.remoteAddress
        try expectEqual(address, "[::1]:\(server.port)")
      },
    ])
}
