internal import FaradayCore

extension ConformanceGroup {
  /// No state of one request affects the next.
  static let requestsApart: ConformanceGroup = .init(
    name: "independent requests",
    cases: [
      .init("a folded first field after another response is an error or a response", needs: .strictFraming) { subject in
        let answer = "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 6\r\n\r\nsecond"
        for _ in 0..<50 {
          try expectEqual(try await subject.connection.get("hello").status, .ok)
          try await subject.withServer(answering: answer) { connection in
            do {
              let response = try await connection.get()
              try expectEqual(response.status, .ok)
            } catch let error as TransportError {
              try expectEqual(error.code, .malformedResponse)
            }
          }
        }
      },
      .init("a folded first field on one connection after the other is an error or a response", needs: .strictFraming) {
        subject in
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 6\r\n\r\nsecond")
          connection.halfClose()
          connection.waitForClose()
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server)
        for round in 0..<50 {
          do {
            let response = try await connection.get()
            try expectEqual(response.status, .ok)
          } catch let error as TransportError {
            try expect(error.code == .malformedResponse && round % 2 == 1, "\(error) in round \(round)")
          }
        }
      },
      .init(
        "a server's 417 does not make another server's request send its body early", needs: [.expectContinue, .streamedUpload]
      ) { subject in
        let file = try TemporaryFile(Data("hello".utf8))
        let heads = Log<String>()
        let refusing = try RawServer { connection in
          while true {
            let head = try connection.readHead().lowercased()
            heads.append(head)
            guard heads.elements.count > 1 else {
              try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
              continue
            }
            // Whether it asks once more is another rule's business.
            if head.contains("expect:") { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            _ = try connection.read(exactly: 5)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          }
        }
        defer { refusing.stop() }
        // Other rules test the outcome of this request.
        _ = try? await subject.connection(to: refusing).put(body: .file(file.path)) { $0.headers[.expect] = "100-continue" }
        for _ in 0..<8 {
          let sent = Log<Int>()
          let hasEnded = Gate()
          let server = try RawServer { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            connection.halfClose()
            sent.append(try connection.readToEnd())
            hasEnded.open()
          }
          defer { server.stop() }
          let connection = try subject.connection(to: server)
          let response = try await connection.put(body: .file(file.path)) { $0.headers[.expect] = "100-continue" }
          try expectEqual(response.status.code, 413)
          try expect(await hasEnded.opened())
          try expectEqual(sent.elements, [0])
        }
      },
    ])
}
