internal import FaradayCore

extension ConformanceGroup {
  static let trailers: ConformanceGroup = .init(
    name: "trailers", needs: .trailers,
    cases: [
      .init("trailers are known at the end of a buffered body", needsWire: false) { subject in
        let response = try await subject.connection.get("trailers")
        try expectEqual(try await response.body.utf8Text(), "trailing")
        try expectEqual(response.trailers[try checksum], "abc")
      },
      .init("trailers are separate from the header fields", needsWire: false) { subject in
        try expectEqual(try await subject.connection.get("trailers").headers[try checksum], nil)
      },
      .init("trailers are known at the end of a streamed body", needs: .streamedDownload, needsWire: false) { subject in
        let response = try await subject.connection.get("trailers") { $0.options.delivery = .streamed }
        try expectEqual(try await response.body.utf8Text(), "trailing")
        try expectEqual(response.trailers[try checksum], "abc")
      },
      .init("trailers are known after the last chunk of the callback", needsWire: false) { subject in
        let response = try await subject.connection.get("trailers") { $0.options.onChunk = { _ in .continue } }
        try expectEqual(response.trailers[try checksum], "abc")
      },
      .init("a body without trailers has none", needsWire: false) { subject in
        try expectEqual(try await subject.connection.get("hello").trailers.count, 0)
      },
      .init("several trailers are delivered in order") { subject in
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Checksum: 1\r\nX-Other: o\r\n\r\n"
        try await subject.withServer(answering: answer) { connection in
          let trailers = try await connection.get().trailers
          try expectEqual(trailers.map { $0.name.canonicalName }, ["x-checksum", "x-other"])
          try expectEqual(trailers.map(\.value), ["1", "o"])
        }
      },
      .init("a chunked body can consist of trailers only") { subject in
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Checksum: none\r\n\r\n"
        try await subject.withServer(answering: answer) { connection in
          let response = try await connection.get()
          try expectEqual(response.body.length, 0)
          try expectEqual(response.trailers[try checksum], "none")
        }
      },
    ])

  private static var checksum: HTTPField.Name {
    get throws { try require(HTTPField.Name("X-Checksum")) }
  }
}
