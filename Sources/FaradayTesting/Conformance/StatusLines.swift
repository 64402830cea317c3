internal import FaradayCore

extension ConformanceGroup {
  /// Malformed status lines, and versions that were not negotiated.
  static let statusLines: ConformanceGroup = .init(
    name: "status lines", needs: .strictFraming,
    cases: [
      ("characters behind the status", "HTTP/1.1 200X"),
      ("a tab behind the status", "HTTP/1.1 200\tOK"),
      ("two spaces before the status", "HTTP/1.1  200 OK"),
      ("a tab before the status", "HTTP/1.1\t200 OK"),
      ("a status below all", "HTTP/1.1 99 X"),
      ("a status below all, with three digits", "HTTP/1.1 099 X"),
      ("a status of zeros", "HTTP/1.1 000 X"),
      ("a status of two digits", "HTTP/1.1 20 OK"),
      ("a status of four digits", "HTTP/1.1 2000 OK"),
      ("a status with a sign", "HTTP/1.1 +20 OK"),
      ("HTTP/2 that nobody negotiated", "HTTP/2 200"),
      ("HTTP/2.0 that nobody negotiated", "HTTP/2.0 200 OK"),
      ("HTTP/3 that nobody negotiated", "HTTP/3 200"),
    ].flatMap { sentence, line in
      isMalformed(sentence, answering: "\(line)\r\nContent-Length: 5\r\n\r\nhello", in: DeliveryKind.allCases)
    }
      + isMalformed(
        "two spaces in an interim response's line",
        answering: "HTTP/1.1  100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      + isMalformed(
        "a status below all before a response",
        answering: "HTTP/1.1 099 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      + isMalformed("HTTP/2 that nobody negotiated, until the end", answering: "HTTP/2 200\r\n\r\nhello")
      + [
        claimed("HTTP/2 200", by: 1), claimed("HTTP/2 200", by: 12), claimed("HTTP/3 200", by: 1), claimed("HTTP/3 200", by: 12),
      ]
  )

  /// The server has negotiated HTTP/1.1, and claims another version in its status line.
  private static func claimed(_ line: String, by count: Int) -> Case {
    Case("\(line) over TLS to \(count) at a time that ask for HTTP/2", needs: [.http2, .customCA]) { subject in
      let server = try Security.tls.server { connection in
        for _ in 0... {
          let target = try connection.readHead().split(separator: " ")[1]
          try connection.send("\(line)\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "\(target) ", count: 10))
        }
      }
      defer { server.stop() }
      let connection = try subject.connection(toTrusted: server)
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
