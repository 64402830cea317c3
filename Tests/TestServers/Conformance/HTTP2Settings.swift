internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// HTTP/2 SETTINGS of the client and of the server.
  static let http2Settings: ConformanceGroup = .init(
    name: "HTTP/2 settings", needs: [.http2, .customCA],
    cases: [
      .init("server push is disabled") { subject in
        let server = try OpenSSLServer("-alpn h2")
        let request = try asking(server.url, server.caFile)
        let task = Task { try await subject.adapter.send(request) }
        let received = await server.received { clientSettings(in: $0) != nil }
        task.cancel()
        try await expectThrows(CancellationError.self) { _ = try await task.value }
        let settings = try require(clientSettings(in: try require(received)))
        // SETTINGS_ENABLE_PUSH, whose default is 1.
        try expectEqual(settings[2], 0)
      },
      .init("300 concurrent GETs to a server that allows one stream succeed", needs: .responseVersion) { subject in
        try await overOneStream(subject) { connection in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
              group.addTask {
                let response = try await connection.get("bytes/\(1000 + index)")
                try expectEqual(response.version, .http2)
                try expect(response.body.data == pattern(1000 + index), "the bytes are others")
              }
            }
            try await group.waitForAll()
          }
        }
        try expectEqual(subject.server.requestCount, 300)
      },
      .init("100 sequential POSTs to a server that allows one stream succeed") { subject in
        try await overOneStream(subject) { connection in
          for index in 0..<100 {
            let text = try await connection.post("echo", body: .text("request \(index)")).body.utf8Text()
            try expectEqual(text, "request \(index)")
          }
        }
        try expectEqual(subject.server.requestCount, 100)
      },
      .init("100 concurrent POSTs to a server that allows one stream are sent at most once") { subject in
        let answered = Log<Int>()
        try await overOneStream(subject) { connection in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
              group.addTask {
                do {
                  let text = try await connection.post("echo", body: .text("request \(index)")).body.utf8Text()
                  try expectEqual(text, "request \(index)")
                  answered.append(index)
                } catch let error as TransportError where error.code == .connectionClosed {
                  // Refused by a server that had not sent its limit yet. A POST is not retried.
                }
              }
            }
            try await group.waitForAll()
          }
        }
        try expect(!answered.elements.isEmpty, "all were refused")
        try expectEqual(subject.server.requestCount, answered.elements.count)
      },
    ])

  private static func overOneStream(
    _ subject: AdapterConformance.Subject, _ body: (Connection) async throws -> Void
  ) async throws {
    let server = try NghttpxServer(upstream: subject.server.port, streams: 1)
    defer { server.stop() }
    let defaults = try asking(server.url, server.caFile).options
    try await body(try Connection(server.url, defaults: defaults, adapter: subject.adapter))
  }

  private static func asking(_ url: String, _ caFile: String) throws -> Request {
    var request = try Request(url)
    request.options.tls.caFile = caFile
    request.options.httpVersion = .http2
    return request
  }

  /// The client's first SETTINGS frame; nil until it is complete.
  private static func clientSettings(in bytes: [UInt8]) -> [Int: Int]? {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    guard let start = bytes.firstRange(of: preface)?.upperBound, bytes.count >= start + 9 else { return nil }
    let length = number(bytes[start..<start + 3])
    let payload = bytes[(start + 9)...].prefix(length)
    guard bytes[start + 3] == 4, payload.count == length else { return nil }
    return stride(from: payload.startIndex, to: payload.endIndex, by: 6).reduce(into: [:]) { settings, index in
      settings[number(payload[index..<index + 2])] = number(payload[index + 2..<index + 6])
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
