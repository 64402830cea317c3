internal import FaradayCore

extension ConformanceGroup {
  static let duplex: ConformanceGroup = .init(
    name: "duplex", needs: .duplex,
    cases: BodyKind.allCases.map { kind in
      Case("\(kind.rawValue): a response before the end of the upload is delivered", needs: kind.needs) { subject in
        try await kind.with(pattern(5_000_000)) { body in
          try expectEqual(try await subject.connection.post("early-response", body: body).status.code, 413)
        }
        try expectEqual(try await subject.connection.get("hello").status, .ok)
      }
    }
      + ["413 Too Large", "200 OK\r\nConnection: close"].map { answer in
        Case("a \(answer.prefix(3)) ends an upload whose source stalls", needs: .streamedUpload) { subject in
          try await endsUpload(answer, over: subject)
        }
      } + [
        .init("a response can be read while the request body is sent", needs: [.streamedUpload, .streamedDownload]) { subject in
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          continuation.yield(Data("one".utf8))
          let response = try await subject.connection.post("echo", body: .stream(pieces)) { $0.options.delivery = .streamed }
          var iterator = response.body.makeAsyncIterator()
          try expectEqual(try await iterator.next(), Data("one".utf8))
          continuation.yield(Data("two".utf8))
          try expectEqual(try await iterator.next(), Data("two".utf8))
          continuation.finish()
          try expectEqual(try await iterator.next(), nil)
        },
        .init("chunks are delivered while the body is sent", needs: [.streamedUpload]) { subject in
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          continuation.yield(Data("0".utf8))
          let seen = Log<Int>()
          let response = try await subject.connection.post("echo", body: .stream(pieces)) {
            $0.options.onChunk = { bytes in
              seen.append(bytes.byteCount)
              let count = seen.elements.reduce(0, +)
              if count < 10 { continuation.yield(Data("\(count)".utf8)) } else { continuation.finish() }
              return .continue
            }
          }
          try expectEqual(response.status, .ok)
          try expectEqual(seen.elements.reduce(0, +), 10)
        },
        .init("the head is delivered before the body is sent", needs: [.streamedUpload]) { subject in
          let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
          continuation.yield(Data("first".utf8))
          let response = try await subject.connection.post("echo", body: .stream(pieces)) {
            $0.options.onHead = { _ in
              continuation.yield(Data(" second".utf8))
              continuation.finish()
            }
          }
          try expectEqual(try await response.body.utf8Text(), "first second")
        },
      ])

  private static func endsUpload(_ answer: String, over subject: AdapterConformance.Subject) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      _ = try connection.readSome(upTo: 100)
      try connection.send("HTTP/1.1 \(answer)\r\nContent-Length: 2\r\n\r\nno")
      connection.waitForClose()
    }
    defer { server.stop() }
    let dry = StalledSource()
    let response = try await subject.connection(to: server).post(body: .stream(dry))
    try expectEqual(try await response.body.utf8Text(), "no")
    try expect(await dry.hasGone.opened(), "the source is still read")
  }
}
