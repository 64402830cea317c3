internal import FaradayCore

extension ConformanceGroup {
  static let encodedBodies: ConformanceGroup = .init(
    name: "encoded bodies", needs: .encodedBodies,
    cases: ["gzip", "deflate", "br", "zstd", "x-mine"].map { coding in
      Case("\(coding) is decoded only if requested") { subject in
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 4\r\n\r\nbody"
        try await subject.withServer(answering: answer) { connection in
          let response = try await connection.get()
          try expectEqual(try await response.body.utf8Text(), "body")
          try expectEqual(response.headers[.contentEncoding], coding)
        }
      }
    } + [
      .init("no coding is requested by default") { subject in
        try expectEqual(try await Inspected(subject.connection.get("inspect")).values("accept-encoding"), [])
      },
      .init("a coding that the request asks for is not decoded") { subject in
        let response = try await subject.connection.get("gzip/text") { $0.headers[.acceptEncoding] = "gzip" }
        try expectEqual(try await response.body.collect(), Data(Gzip.stored(Array("Hello, gzip!".utf8))))
      },
      .init("a streamed body arrives encoded", needs: .streamedDownload) { subject in
        let response = try await subject.connection.get("gzip/text") { $0.options.delivery = .streamed }
        try expectEqual(try await response.body.collect(), Data(Gzip.stored(Array("Hello, gzip!".utf8))))
      },
      .init("chunks arrive encoded") { subject in
        let seen = Log<[UInt8]>()
        _ = try await subject.connection.get("gzip/text") {
          $0.options.onChunk = { bytes in
            seen.append(bytes.withUnsafeBytes { Array($0) })
            return .continue
          }
        }
        try expectEqual(Array(seen.elements.joined()), Gzip.stored(Array("Hello, gzip!".utf8)))
      },
    ])
}
