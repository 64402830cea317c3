internal import FaradayCore

extension ConformanceGroup {
  /// Malformed responses, byte by byte.
  static let malformedResponses: ConformanceGroup = .init(
    name: "malformed responses", cases: heads + lengths + bodies + extremes + resets)

  private static func fails(
    _ sentence: String, _ codes: TransportError.Code..., answering text: String, needs: Capabilities = []
  ) -> Case {
    Case("rejected: \(sentence)", needs: needs) { subject in
      try await subject.withServer(answering: text) { connection in
        let error = try await expectFailure(in: codes) { try await connection.get() }
        // The error has a partial response once the head was complete.
        try expectEqual(error.partialResponse?.status, error.phase == .receiving ? .ok : nil)
      }
      // The failure does not affect requests to another server.
      try expectEqual(try await subject.connection.get("hello").status, .ok)
    }
  }

  private static let heads: [Case] = [
    fails("an empty response", .connectionClosed, answering: ""),
    fails("a word", .malformedResponse, answering: "garbage\r\n\r\n"),
    fails("a page without a head", .malformedResponse, answering: "<html>hello</html>"),
    fails("zeros", .malformedResponse, answering: "\0\0\0\0\r\n"),
    fails("a version without a status", .malformedResponse, answering: "HTTP/1.1\r\n\r\n"),
    fails("an unknown version", .malformedResponse, answering: "HTTP/9.9 200 OK\r\n\r\n"),
    fails("another protocol", .malformedResponse, answering: "HTP/1.1 200 OK\r\n\r\n"),
    fails(
      "a truncated head of one line", .truncatedResponse, .connectionClosed, answering: "HTTP/1.1 200 OK\r\n",
      needs: .truncatedHeads),
    fails(
      "a head without its blank line", .truncatedResponse, .connectionClosed,
      answering: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", needs: .truncatedHeads),
    fails(
      "a head truncated within a field", .truncatedResponse, .connectionClosed, answering: "HTTP/1.1 200 OK\r\nContent-Le",
      needs: .truncatedHeads),
    fails(
      "an interim response without a final one", .truncatedResponse, .connectionClosed, answering: "HTTP/1.1 103 Hints\r\n\r\n",
      needs: .truncatedHeads),
  ]

  private static let lengths: [Case] = [
    malformed("conflicting lengths", "Content-Length: 5\r\nContent-Length: 6"),
    malformed("conflicting lengths with another spelling", "Content-Length: 5\r\ncontent-length: 0", needs: .repeatedHeaders),
    malformed("a length that is not a number", "Content-Length: abc"),
    malformed("a negative length", "Content-Length: -5"),
  ]

  private static func malformed(_ sentence: String, _ fields: String, needs: Capabilities = []) -> Case {
    let answer = "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello!"
    return Case("rejected: \(sentence)", needs: needs) { subject in
      try await subject.withServer(answering: answer) { connection in
        _ = try await expectFailure(.malformedResponse) { try await connection.get() }
      }
    }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static let bodies: [Case] = [
    .init("equal lengths count as one") { subject in
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"
      try await subject.withServer(answering: answer) { connection in
        try expectEqual(try await connection.get().body.utf8Text(), "hello")
      }
    },
    fails("a chunk size that is not a number", .malformedResponse, answering: chunked + "zz\r\nhello\r\n0\r\n\r\n"),
    fails("a chunk longer than its size", .malformedResponse, answering: chunked + "5\r\nhelloWORLD\r\n0\r\n\r\n"),
    fails("a negative chunk size", .malformedResponse, answering: chunked + "-1\r\n\r\n"),
    fails("a chunk size that overflows", .malformedResponse, answering: chunked + "fffffffffffffffff\r\nx"),
    fails("a chunked body truncated within a chunk", .truncatedResponse, answering: chunked + "5\r\nhel"),
    .init("a chunked body without its last chunk is truncated and keeps the received bytes") { subject in
      try await subject.withServer(answering: chunked + "5\r\nhello\r\n") { connection in
        let error = try await expectFailure(.truncatedResponse) { try await connection.get() }
        try expectEqual(error.partialResponse?.body.data, Data("hello".utf8))
      }
    },
    .init("a body shorter than its length is truncated and keeps the received bytes") { subject in
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nServer: y\r\n\r\nhello"
      try await subject.withServer(answering: answer) { connection in
        let error = try await expectFailure(.truncatedResponse) { try await connection.get() }
        try expectEqual(error.phase, .receiving)
        let partial = try require(error.partialResponse)
        try expectEqual(partial.status, .ok)
        try expectEqual(partial.headers[.server], "y")
        try expectEqual(partial.body.data, Data("hello".utf8))
      }
    },
    .init("a streamed body shorter than its length fails after the received bytes", needs: .streamedDownload) { subject in
      try await subject.withServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello") { connection in
        var seen = Data()
        let error = try await expectFailure(.truncatedResponse) {
          let response = try await connection.get { $0.options.delivery = .streamed }
          for try await piece in response.body { seen.append(piece) }
          return response
        }
        try expectEqual(seen, Data("hello".utf8))
        try expectEqual(error.partialResponse?.status, .ok)
      }
    },
    .init("bytes after the body do not become part of the next response") { subject in
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Smuggled\r\nContent-Length: 0\r\n\r\n"
      let server = try RawServer { connection in
        _ = try connection.readHead()
        try connection.send(answer)
        connection.waitForClose()
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server)
      for _ in 0..<3 {
        let response = try await connection.get()
        try expectEqual(response.status, .ok)
        try expectEqual(try await response.body.utf8Text(), "ok")
      }
    },
  ]

  private static let extremes: [Case] = [
    .init("a head over a mebibyte is rejected") { subject in
      let field = "X-Filler: " + String(repeating: "a", count: 1000) + "\r\n"
      let answer = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 1100) + "\r\n"
      try await subject.withServer(answering: answer) { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("a header line over a mebibyte is rejected") { subject in
      let answer = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n"
      try await subject.withServer(answering: answer) { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("a head with more fields than allowed is rejected") { subject in
      let fields = (0...ResponseLimits.lines).map { "X-\($0): y\r\n" }.joined()
      try await subject.withServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n") { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("a head with more fields than can be counted is rejected", needs: .repeatedHeaders) { subject in
      let fields = String(repeating: "a:\r\n", count: 1 << 16)
      try await subject.withServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n") { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("trailers with more fields than can be counted are rejected", needs: .trailers) { subject in
      let fields = String(repeating: "a:\r\n", count: 1 << 16)
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      try await subject.withServer(answering: head + "2\r\nok\r\n0\r\n\(fields)\r\n") { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("trailers over a mebibyte are rejected", needs: .trailers) { subject in
      let field = "X-Filler: " + String(repeating: "a", count: 1000) + "\r\n"
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      let answer = head + "2\r\nok\r\n0\r\n" + String(repeating: field, count: 1100) + "\r\n"
      try await subject.withServer(answering: answer) { connection in
        try await expectFailure(.headTooLarge) { try await connection.get() }
      }
    },
    .init("an endless head is rejected") { subject in
      let fields = [UInt8](String(repeating: "X: y\r\n", count: 10_000).utf8)
      let server = try RawServer { connection in
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\n")
        for _ in 0..<1000 { try connection.send(fields) }
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server)
      // Foundation on Linux reads this head for longer than the idle timeout if the machine is busy.
      try await expectFailure(.headTooLarge) {
        try await connection.get { $0.options.timeouts = Timeouts(connect: nil, idle: nil) }
      }
    },
  ]

  private static let resets: [Case] = [
    .init("a reset before the response is an error") { subject in
      try await expectFailure(.connectionClosed, .receiveFailed, .sendFailed) { try await subject.connection.get("reset") }
    },
    .init("a reset within the body is an error", needs: .streamedDownload) { subject in
      let gate = Gate()
      let server = try RawServer { connection in
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        _ = gate.wait()
        connection.reset()
      }
      defer { server.stop() }
      let response = try await subject.connection(to: server).get { $0.options.delivery = .streamed }
      var iterator = response.body.makeAsyncIterator()
      try expectEqual(try await iterator.next(), Data("hello".utf8))
      gate.open()
      try await expectFailure(.receiveFailed, .truncatedResponse, .connectionClosed) {
        _ = try await iterator.next()
        return response
      }
      try expectEqual(try await iterator.next(), nil)
    },
  ]
}
