internal import FaradayCore

extension ConformanceGroup {
  static let tracing: ConformanceGroup = .init(
    name: "raw heads and traces",
    cases: [
      .init("heads are reported byte by byte", needs: .rawHeads) { subject in
        let heads = [
          "HTTP/1.1 103 Early Hints\r\nlink:  </a>\r\n\r\n", "HTTP/1.1 200  Very OK \nX-MiXeD:\tvalue \nContent-Length: 2\n\n",
        ]
        let raw = Log<String>()
        try await subject.withServer(answering: heads.joined() + "ok") { connection in
          let response = try await connection.get { $0.options.onRawHead = { raw.append(String(decoding: $0, as: UTF8.self)) } }
          try expectEqual(try await response.body.utf8Text(), "ok")
        }
        try expectEqual(raw.elements, heads)
      },
      .init("trailers are reported byte by byte", needs: .rawHeads) { subject in
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let raw = Log<String>()
        try await subject.withServer(answering: head + "2\r\nok\r\n0\r\nx-TRAILER: a\r\n\r\n") { connection in
          _ = try await connection.get { $0.options.onRawHead = { raw.append(String(decoding: $0, as: UTF8.self)) } }
        }
        try expectEqual(raw.elements.first, head)
        try expectEqual(raw.elements.dropFirst().joined().prefix(14), "x-TRAILER: a\r\n")
      },
      .init("a trace contains the sent and received bytes", needs: .trace) { subject in
        let events = Log<TraceEvent>()
        let response = try await subject.connection.post("echo") {
          $0.body = "the body"
          $0.options.onTrace = { events.append($0) }
        }
        try expectEqual(try await response.body.utf8Text(), "the body")
        func text(_ kind: TraceEvent.Kind) -> String {
          events.elements.filter { $0.kind == kind }.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        }
        try expect(text(.headerOut).hasPrefix("POST /echo HTTP/1.1\r\n"), text(.headerOut))
        try expect(text(.headerIn).hasPrefix("HTTP/1.1 200 OK\r\n"), text(.headerIn))
        try expectEqual(text(.dataOut), "the body")
        try expectEqual(text(.dataIn), "the body")
        try expect(!text(.text).isEmpty)
      },
    ])
}
