internal import FaradayCore

extension ConformanceGroup {
  /// `options.upgrade`: the connection switches to another protocol (RFC 9110, section 7.8).
  static let upgrades: ConformanceGroup = .init(
    name: "upgrades", needs: [.upgrade, .streamedUpload, .streamedDownload], cases: switches + refusedSwitches + ends)

  private static let accepting = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n"

  private static let switches: [Case] = [
    .init("the request asks for the protocol and has no framing of a body") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, head in
        try connection.send(accepting + head)
      } body: { response in
        try expectEqual(response.status.code, 101)
        let head = try await response.body.utf8Text().lowercased()
        try expect(head.hasPrefix("get / http/1.1\r\n"), "the request is \(head)")
        for line in ["connection: upgrade\r\n", "upgrade: test\r\n"] { try expect(head.contains(line), "\(line) is missing") }
        for name in ["content-length", "transfer-encoding", "expect", "content-type"] {
          try expect(!head.contains(name + ":"), "the request has \(name)")
        }
        continuation.finish()
      }
    },
    .init("bytes pass in both directions, one after the other") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send(accepting)
        for _ in 0..<50 { try connection.send(try connection.read(exactly: 4)) }
      } body: { response in
        var iterator = response.body.makeAsyncIterator()
        for number in 0..<50 {
          let sent = Data("\(1000 + number)".utf8)
          continuation.yield(sent)
          var received = Data()
          while received.count < sent.count, let piece = try await iterator.next() { received.append(piece) }
          try expectEqual(received, sent)
        }
        try expectEqual(try await iterator.next(), nil)
        continuation.finish()
      }
    },
    .init("the body is not read before the 101") { subject in
      let accepted = Log<Void>()
      let wasEarly = Log<Bool>()
      let isWaiting = Gate()
      let source = AsyncStream<Data> {
        wasEarly.append(accepted.elements.isEmpty)
        return wasEarly.elements.count == 1 ? Data("now".utf8) : nil
      }
      try await withUpgrade(of: subject, sending: .stream(source), onInformational: { isWaiting.open() }) { connection, _ in
        try connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
        isWaiting.wait()
        accepted.append(())
        try connection.send(accepting)
        try connection.send(try connection.read(exactly: 3))
      } body: { response in
        try expectEqual(try await response.body.utf8Text(), "now")
        try expectEqual(wasEarly.elements.first, false)
      }
    },
    .init("bytes that arrive together with the 101 are delivered") { subject in
      try await withUpgrade(of: subject, sending: .empty) { connection, _ in
        try connection.send(accepting + "HTTP/1.1 200 OK\r\n\r\n")
      } body: { response in
        try expectEqual(try await response.body.utf8Text(), "HTTP/1.1 200 OK\r\n\r\n")
      }
    },
    .init("an HTTP proxy opens a tunnel for it", needs: .proxies) { subject in
      let heads = Log<String>()
      let server = try RawServer { connection in
        heads.append(try connection.readHead())
        try connection.send("HTTP/1.1 200 OK\r\n\r\n")
        heads.append(try connection.readHead())
        try connection.send(accepting + "through")
      }
      defer { server.stop() }
      let response = try await upgrade(
        subject.connection(to: server), sending: .empty, at: "http://anywhere.invalid/x?",
        through: Proxy(.http, host: "127.0.0.1", port: server.port))
      try expectEqual(try await response.body.utf8Text(), "through")
      try expect(heads.elements[0].hasPrefix("CONNECT anywhere.invalid:80 HTTP/1.1\r\n"), heads.elements[0])
      try expect(heads.elements[1].hasPrefix("GET /x? HTTP/1.1\r\n"), heads.elements[1])
    },
    .init("framing fields of the 101 are ignored") { subject in
      try await withUpgrade(of: subject, sending: .empty) { connection, _ in
        try connection.send(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\nContent-Length: 3\r\n\r\nabcdef")
      } body: { response in
        try expectEqual(try await response.body.utf8Text(), "abcdef")
      }
    },
    .init("large amounts pass in both directions at the same time") { subject in
      let count = 5_000_000
      let sent = pattern(count)
      let source = AsyncStream { continuation in
        for start in stride(from: 0, to: count, by: 100_000) { continuation.yield(Data(sent[start..<start + 100_000])) }
        continuation.finish()
      }
      try await withUpgrade(of: subject, sending: .stream(source)) { connection, _ in
        try connection.send(accepting)
        var left = count
        while left > 0 {
          let bytes = try connection.readSome(upTo: 65_536)
          try connection.send(bytes)
          left -= bytes.count
        }
      } body: { response in
        try expectEqual(try await response.body.collect(upTo: 2 * count), sent)
      }
    },
  ]

  private static let refusedSwitches: [Case] = [
    "200 OK\r\nContent-Length: 2\r\n\r\nno", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    "404 Not Found\r\nContent-Length: 2\r\n\r\nno", "426 Upgrade Required\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
    "307 Temporary Redirect\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nno",
  ].map { answer in
    Case("\(answer.prefix(3)) is an ordinary response, \(answer.contains("chunked") ? "chunked" : "with a length")") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      continuation.yield(Data("secret".utf8))
      let leaked = Log<Int>()
      let hasEnded = Gate()
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send("HTTP/1.1 " + answer)
        leaked.append(try connection.readToEnd())
        hasEnded.open()
      } body: { response in
        try expectEqual("\(response.status.code)", String(answer.prefix(3)))
        try expectEqual(try await response.body.utf8Text(), "no")
      } after: {
        try expect(await hasEnded.opened(), "the connection is still open")
        try expectEqual(leaked.elements, [0])
      }
      continuation.finish()
    }
  }

  private static let ends: [Case] = [
    .init("the server's end is the end of the response while the body waits") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send(accepting + "bye")
        connection.halfClose()
        connection.waitForClose()
      } body: { response in
        try expectEqual(try await response.body.utf8Text(), "bye")
      }
      continuation.finish()
    },
    .init("the server's end without a byte is the end of an empty response") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send(accepting)
        connection.halfClose()
        connection.waitForClose()
      } body: { response in
        try expectEqual(response.status.code, 101)
        try expectEqual(try await response.body.utf8Text(), "")
      }
      continuation.finish()
    },
    .init("releasing the response closes the connection") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      let hasEnded = Gate()
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send(accepting + "x")
        connection.waitForClose()
        hasEnded.open()
      } body: { response in
        try expectEqual(response.status.code, 101)
      } after: {
        try expect(await hasEnded.opened(), "the connection is still open")
      }
      continuation.finish()
    },
    .init("a broken connection is an error") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      try await withUpgrade(of: subject, sending: .stream(pieces)) { connection, _ in
        try connection.send(accepting + "x")
        _ = try connection.read(exactly: 1)
        connection.reset()
      } body: { response in
        var iterator = response.body.makeAsyncIterator()
        try expectEqual(try await iterator.next(), Data("x".utf8))
        continuation.yield(Data("y".utf8))
        do {
          while try await iterator.next() != nil {}
          throw ConformanceError(message: "a reset counts as an end", file: #fileID, line: #line)
        } catch let error as TransportError {
          try expect(error.isTransient, "the error is \(error)")
        }
      }
      continuation.finish()
    },
    .init("an upgraded connection is not used for other requests") { subject in
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      let server = try RawServer { connection in
        while true {
          let isUpgrade = try connection.readHead().contains("Upgrade: test")
          try connection.send(isUpgrade ? accepting + "x" : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          if isUpgrade { return connection.waitForClose() }
        }
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server)
      try expectEqual(try await connection.get().body.utf8Text(), "ok")
      let upgraded = try await upgrade(connection, sending: .stream(pieces))
      for _ in 0..<3 { try expectEqual(try await connection.get().body.utf8Text(), "ok") }
      var iterator = upgraded.body.makeAsyncIterator()
      try expectEqual(try await iterator.next(), Data("x".utf8))
      continuation.finish()
    },
  ]

  private static func upgrade(
    _ connection: Connection, sending body: Body, at url: String = "", through proxy: Proxy? = nil,
    onInformational: @escaping @Sendable () -> Void = {}
  ) async throws -> Response {
    let request = try connection.request(.get, url) {
      if let proxy { $0.options.proxy = .proxy(proxy) }
      $0.options.upgrade = Upgrade(to: "test", sending: body)
      $0.options.delivery = .streamed
      $0.options.timeouts.idle = .seconds(60)
      $0.options.onInformational = { _ in onInformational() }
    }
    return try await connection.send(request)
  }

  /// Sends a request for an upgrade to a server that runs the closure after the request's head.
  private static func withUpgrade(
    of subject: AdapterConformance.Subject, sending body: Body, onInformational: @escaping @Sendable () -> Void = {},
    answer: @escaping @Sendable (RawConnection, String) throws -> Void, body check: (Response) async throws -> Void,
    after: () async throws -> Void = {}
  ) async throws {
    let failure = Log<any Error>()
    let server = try RawServer { connection in
      let head = try connection.readHead()
      do { try answer(connection, head) } catch let error as ConformanceError { failure.append(error) }
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    try await check(try await upgrade(connection, sending: body, onInformational: onInformational))
    try await after()
    if let error = failure.elements.first { throw error }
  }
}
