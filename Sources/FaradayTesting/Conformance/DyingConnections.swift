internal import FaradayCore

extension ConformanceGroup {
  /// Kept (keep-alive) connections that are closed when the next request is sent: no request that is not idempotent is sent twice,
  /// and none is resent without its body.
  static let dyingConnections: ConformanceGroup = .init(name: "dying connections", cases: once + whole)

  /// Requests that are not idempotent (RFC 9110, section 9.2.2).
  private static let once: [Case] = [
    ("POST", ""), ("POST", "a body"), ("PATCH", "a body"), ("PURGE", ""), ("PURGE", "a body"),
  ].map { name, text in
    let needs: Capabilities = name == "PURGE" ? [.neverResends, .customMethods] : .neverResends
    return Case("\(name) with \(text.isEmpty ? "no body" : text) is sent once, even if its connection dies", needs: needs) {
      subject in
      let arrived = Log<String>()
      let server = try dying { head, connection in
        guard head.hasPrefix(name) else { return }
        arrived.append(head)
        _ = try connection.read(exactly: text.utf8.count)
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server)
      _ = try await connection.get()
      let method = try require(HTTPRequest.Method(name))
      do {
        // Over a connection of its own it is answered.
        let response = try await connection.send(method, body: .text(text)) { $0.options.timeouts.total = .seconds(20) }
        try expectEqual(response.status, .ok)
      } catch let error as TransportError {
        try expect([.connectionClosed, .receiveFailed, .sendFailed].contains(error.code), "\(error)")
      }
      try expectEqual(arrived.elements.count, 1)
    }
  }

  private static let whole: [Case] = ["PUT", "POST", "PATCH"].flatMap { name in
    BodyKind.allCases.map { kind in
      Case("\(name) with \(kind.rawValue): on a dead connection it is sent again completely, or fails", needs: kind.needs) {
        subject in
        let answered = Log<Int>()
        let server = try dying { head, connection in
          guard head.hasPrefix(name), connection.index > 0 else { return }
          // The server waits for the whole body: a client that sends a length without the bytes gets no response.
          if head.lowercased().contains("\r\ntransfer-encoding: chunked\r\n") {
            _ = try connection.read(exactly: 100_000)
          } else {
            try expectEqual(Data(try connection.read(exactly: 100_000)), pattern(100_000))
          }
          answered.append(1)
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        _ = try await connection.get()
        let method = try require(HTTPRequest.Method(name))
        try await kind.with(pattern(100_000)) { body in
          do {
            let response = try await connection.send(method, body: body) { $0.options.timeouts.total = .seconds(10) }
            try expectEqual(response.status, .ok)
            try expectEqual(answered.elements.count, 1)
          } catch let error as TransportError {
            let codes: [TransportError.Code] = [.connectionClosed, .receiveFailed, .sendFailed, .bodyNotReplayable]
            try expect(codes.contains(error.code), "\(error), engine code \(error.engineCode ?? 0)")
          }
        }
      }
    }
  }

  /// A server that closes its first connection at the second request; others get a response when `look` returns.
  private static func dying(
    _ look: @escaping @Sendable (_ head: String, RawConnection) throws -> Void
  ) throws -> RawServer {
    try RawServer { connection in
      for round in 0... {
        let head = try connection.readHead()
        try look(head, connection)
        if connection.index == 0, round == 1 { return }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }
}
