internal import FaradayCore

extension ConformanceGroup {
  static let compression: ConformanceGroup = .init(
    name: "compression", needs: .encodedBodies,
    cases: codings + limits + [
      .init("Accept-Encoding offers gzip and deflate") { subject in
        let asked = try await Inspected(subject.connection.get("inspect", edit: decoding))
        let codings = try require(asked.values("accept-encoding").first)
        try expect(codings.contains("gzip") && codings.contains("deflate"), codings)
      },
      .init("Content-Encoding and Content-Length stay in the response") { subject in
        let response = try await subject.connection.get("gzip/text", edit: decoding)
        try expectEqual(response.headers[.contentEncoding], "gzip")
        try expectEqual(try await response.body.utf8Text(), "Hello, gzip!")
      },
      .init("metrics count encoded bytes") { subject in
        let response = try await subject.connection.get("gzip?size=1000000", edit: decoding)
        try expectEqual(response.body.data, Data(count: 1_000_000))
        try expect(response.metrics.bytesReceived < 10_000, "\(response.metrics.bytesReceived)")
      },
      .init("a streamed body is decoded", needs: .streamedDownload) { subject in
        let response = try await subject.connection.get("gzip?size=3000000") {
          $0.options.decompression = Decompression(maximumRatio: 2000)
          $0.options.delivery = .streamed
        }
        try expectEqual(try await response.body.collect(), Data(count: 3_000_000))
      },
      .init("chunks are decoded") { subject in
        let count = Log<Int>()
        _ = try await subject.connection.get("gzip?size=3000000") {
          $0.options.decompression = Decompression(maximumRatio: 2000)
          $0.options.onChunk = { bytes in
            count.append(bytes.byteCount)
            return .continue
          }
        }
        try expectEqual(count.elements.reduce(0, +), 3_000_000)
      },
      .init("a body without a coding is unchanged") { subject in
        try expectEqual(try await subject.connection.get("bytes/100000", edit: decoding).body.data, pattern(100_000))
      },
      .init("a HEAD response with a coding has no body") { subject in
        let response = try await subject.connection.head("gzip/text", edit: decoding)
        try expectEqual(response.headers[.contentEncoding], "gzip")
        try expect(response.body.isEmpty)
      },
      .init("a corrupt encoded body is an error") { subject in
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnotgzip"
        try await subject.withServer(answering: answer) { connection in
          try await expectFailure(.decompressionFailed) { try await connection.get(edit: decoding) }
        }
      },
      .init("bytes after an encoded body are an error") { subject in
        try await doesNotDecode(Gzip.stored(Array("hello".utf8)) + Array("more".utf8), subject)
      },
      .init("a second gzip member is decoded") { subject in
        let bytes = Gzip.stored(Array("hello".utf8)) + Gzip.stored(Array("more".utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n"
        try await subject.withServer(answering: Array(head.utf8) + bytes) { connection in
          try expectEqual(try await connection.get(edit: decoding).body.utf8Text(), "hellomore")
        }
      },
      .init("an encoded body that is truncated within complete framing is an error") { subject in
        try await doesNotDecode(Gzip.stored(Array("hello".utf8)).dropLast(), subject)
      },
    ])

  private static func doesNotDecode(_ bytes: [UInt8], _ subject: AdapterConformance.Subject) async throws {
    let fields = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
    for length in ["Content-Length: \(bytes.count)\r\n\r\n", "\r\n"] {
      for delivery in DeliveryKind.allCases where subject.adapter.capabilities.contains(delivery.needs) {
        try await subject.withServer(answering: Array((fields + length).utf8) + bytes) { connection in
          try await expectFailure(.decompressionFailed) { try await delivery.get(connection, edit: decoding) }
        }
      }
    }
  }

  private static func decoding(_ request: inout Request) { request.options.decompression = .standard }

  // "Hello, Faraday!" as each coding, made with gzip, zlib, brotli and zstd.
  private static let codings: [Case] = [
    ("deflate", "eJzzSM3JyddRcEssSkxJrFQEACkkBRo="),
    ("br", "CweASGVsbG8sIEZhcmFkYXkhAw=="),
    ("zstd", "KLUv/SAPeQAASGVsbG8sIEZhcmFkYXkh"),
  ].map { coding, encoded in
    Case("\(coding) is decoded if requested") { subject in
      let asked = try await Inspected(subject.connection.get("inspect", edit: decoding))
      guard asked.values("accept-encoding").contains(where: { $0.contains(coding) }) else { return }
      let bytes = Array(try require(Data(base64Encoded: encoded)))
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"
      try await subject.withServer(answering: Array(head.utf8) + bytes) { connection in
        try expectEqual(try await connection.get(edit: decoding).body.utf8Text(), "Hello, Faraday!")
      }
    }
  }

  private static let limits: [Case] = [
    .init("a small response that decodes to a large one is stopped by the ratio limit") { subject in
      let error = try await expectFailure(.decompressionLimit) {
        try await subject.connection.get("gzip?size=50000000", edit: decoding)
      }
      try expect(error.partialResponse?.body.length ?? 0 < 16 << 20)
    },
    .init("a streamed response is stopped by the ratio limit", needs: .streamedDownload) { subject in
      try await expectFailure(.decompressionLimit) {
        try await subject.connection.get("gzip?size=50000000") {
          decoding(&$0)
          $0.options.delivery = .streamed
        }
      }
    },
    .init("a response to a callback is stopped by the ratio limit") { subject in
      try await expectFailure(.decompressionLimit) {
        try await subject.connection.get("gzip?size=50000000") {
          decoding(&$0)
          $0.options.onChunk = { _ in .continue }
        }
      }
      try expectEqual(try await subject.connection.get("hello").status, .ok)
    },
    .init("a compressed response is stopped by the size limit") { subject in
      try await expectFailure(.decompressionLimit) {
        try await subject.connection.get("gzip?size=50000000") {
          $0.options.decompression = Decompression(maximumSize: 5_000_000, maximumRatio: 5000)
        }
      }
    },
    .init("the buffer limit counts decoded bytes") { subject in
      try await expectFailure(.bodyTooLarge) {
        try await subject.connection.get("gzip?size=1000001") {
          decoding(&$0)
          $0.options.maximumBodySize = 1_000_000
        }
      }
    },
    .init("a short run of equal bytes is not rejected as a decompression bomb") { subject in
      let response = try await subject.connection.get("gzip?size=1000000", edit: decoding)
      try expectEqual(response.body.length, 1_000_000)
    },
    .init("a response without a coding has no ratio limit") { subject in
      let response = try await subject.connection.get("bytes/5000000") {
        $0.options.decompression = Decompression(maximumRatio: 1)
      }
      try expectEqual(response.body.length, 5_000_000)
    },
  ]
}
