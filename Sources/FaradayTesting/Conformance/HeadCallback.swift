internal import FaradayCore

extension ConformanceGroup {
  static let headCallback: ConformanceGroup = .init(
    name: "head callback",
    cases: ["hello", "status/404", "status/204", "redirect/1", "bytes/0"].map { path in
      Case("/\(path): the callback gets status and fields once") { subject in
        let heads = Log<HTTPResponse>()
        let response = try await subject.connection.get(path) { $0.options.onHead = { heads.append($0) } }
        try expectEqual(heads.elements.map(\.status.code), [response.status.code])
        try expectEqual(heads.elements.first?.headerFields, response.headers)
      }
    } + [
      .init("the callback gets the head of a HEAD", needsWire: false) { subject in
        let heads = Log<HTTPResponse>()
        _ = try await subject.connection.head("hello") { $0.options.onHead = { heads.append($0) } }
        try expectEqual(heads.elements.map(\.status.code), [200])
      },
      .init("the head is delivered before the chunks", needsWire: false) { subject in
        let seen = Log<String>()
        _ = try await subject.connection.get("hello") {
          $0.options.onHead = { _ in seen.append("head") }
          $0.options.onChunk = { _ in
            seen.append("chunk")
            return .continue
          }
        }
        try expectEqual(seen.elements, ["head", "chunk"])
      },
      .init("the head is delivered before a streamed response", needs: .streamedDownload, needsWire: false) { subject in
        let seen = Log<Int>()
        let response = try await subject.connection.get("hello") {
          $0.options.onHead = { seen.append($0.status.code) }
          $0.options.delivery = .streamed
        }
        try expectEqual(seen.elements, [200])
        _ = try await response.body.collect()
      },
      .init("the head is delivered before the body has arrived") { subject in
        let hasHead = Gate()
        let server = try RawServer { connection in
          _ = try connection.readHead()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
          guard hasHead.wait() else { return }
          try connection.send("hello")
          connection.waitForClose()
        }
        defer { server.stop() }
        let response = try await subject.connection(to: server).get { $0.options.onHead = { _ in hasHead.open() } }
        try expectEqual(try await response.body.utf8Text(), "hello")
      },
      .init("informational responses are not delivered as the head") { subject in
        let seen = Log<Int>()
        _ = try await subject.connection.get("early-hints") { $0.options.onHead = { seen.append($0.status.code) } }
        try expectEqual(seen.elements, [200])
      },
      .init("the callback's error is thrown by send", needsWire: false) { subject in
        let connection = try subject.connection
        try await expectThrows(Mine.self) {
          _ = try await connection.get("bytes/1000000") { $0.options.onHead = { _ in throw Mine() } }
        }
        try expectEqual(try await connection.get("hello").status, .ok)
      },
      .init("the callback's error ends a streamed response", needs: .streamedDownload, needsWire: false) { subject in
        let connection = try subject.connection
        try await expectThrows(Mine.self) {
          let response = try await connection.get("bytes/1000000") {
            $0.options.delivery = .streamed
            $0.options.onHead = { _ in throw Mine() }
          }
          _ = try await response.body.collect()
        }
        try expectEqual(try await connection.get("hello").status, .ok)
      },
      .init("no chunk is delivered after the callback has thrown", needsWire: false) { subject in
        let chunks = Log<Int>()
        try await expectThrows(Mine.self) {
          _ = try await subject.connection.get("bytes/100000") {
            $0.options.onHead = { _ in throw Mine() }
            $0.options.onChunk = { bytes in
              chunks.append(bytes.byteCount)
              return .continue
            }
          }
        }
        try expectEqual(chunks.elements, [])
      },
    ])

  private struct Mine: Error {}
}
