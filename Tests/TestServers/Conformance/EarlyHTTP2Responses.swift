internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// HTTP/2 responses to requests whose body was not sent completely.
  static let earlyHTTP2Responses: ConformanceGroup = .init(
    name: "early responses",
    cases: [("", false), (", also with a reset without error", true)].map { ending, isReset in
      Case("an early HTTP/2 response to a POST completes it\(ending)", needs: [.http2, .customCA]) { subject in
        let mayBeUsed = try await subject.usesHTTP2 { ($0.method, $0.body) = (.post, "content") }
        guard mayBeUsed else { return }
        let server = try Security.tls(choosing: "h2").server { connection in
          // 4 is SETTINGS_INITIAL_WINDOW_SIZE: the body cannot leave.
          try connection.beginHTTP2(.settings([(4, 1000)]))
          while true {
            let stream = try connection.readRequest()
            // With a length: without one only the stream's end tells that nothing is missing, and libcurl keeps that to itself.
            let answer: [HTTP2Frame] = [
              .head(stream, [("content-length", "5")]), .data(stream, "early", flags: HTTP2Frame.endOfStream),
            ]
            try connection.send(answer + (isReset ? [.reset(stream, code: 0)] : []))
          }
        }
        defer { server.stop() }
        let connection = try subject.connection(to: server, over: .tls)
        for _ in 0..<30 {
          let response = try await connection.post(body: .data(Data(count: 50_000))) {
            $0.options.httpVersion = .http2
            $0.options.timeouts.idle = .seconds(30)
          }
          try expectEqual(try await response.body.utf8Text(), "early")
        }
      }
    })
}
