internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// Status lines over TLS that claim another version than the negotiated one.
  static let secureStatusLines: ConformanceGroup = .init(
    name: "status lines",
    cases: [
      claimed("HTTP/2 200", by: 1), claimed("HTTP/2 200", by: 12), claimed("HTTP/3 200", by: 1), claimed("HTTP/3 200", by: 12),
    ])

  /// Responses without a head over TLS.
  static let secureHeadlessResponses: ConformanceGroup = .init(
    name: "responses without a head",
    cases: [
      Case("a TLS body is complete only with a close_notify", needs: [.customCA, .truncatedTLS]) { subject in
        for isWhole in [true, false] {
          let server = try Security.tls.server { connection in
            _ = try connection.readHead()
            try connection.send("just text")
            if isWhole { try connection.sendCloseNotify() }
          }
          defer { server.stop() }
          let connection = try subject.connection(to: server, over: .tls)
          if isWhole {
            try expectEqual(try await connection.get { $0.options.acceptsHTTP0_9 = true }.body.utf8Text(), "just text")
          } else {
            try await expectFailure(.truncatedResponse) {
              try await connection.get { $0.options.acceptsHTTP0_9 = true }
            }
          }
        }
      }
    ])

  /// The server has negotiated HTTP/1.1, and claims another version in its status line.
  private static func claimed(_ line: String, by count: Int) -> Case {
    Case("\(line) over TLS is rejected by \(count) concurrent requests that ask for HTTP/2", needs: [.http2, .customCA]) {
      subject in
      let server = try Security.tls.server { connection in
        for _ in 0... {
          let target = try connection.readHead().split(separator: " ")[1]
          try connection.send("\(line)\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "\(target) ", count: 10))
        }
      }
      defer { server.stop() }
      let connection = try subject.connection(to: server, over: .tls)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
          group.addTask {
            try await expectFailure(.malformedResponse) {
              try await connection.get("\(index)") {
                $0.options.httpVersion = .http2
                $0.options.timeouts.idle = .seconds(10)
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
