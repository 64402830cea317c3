internal import FaradayCore

extension ConformanceGroup {
  static let connectTimeout: ConformanceGroup = .init(
    name: "connect timeout",
    cases: [
      .init("a listener with a full queue causes a connect timeout", needs: .connectTimeout) { subject in
        let full = try FullListener()
        var request = try Request("http://127.0.0.1:\(full.port)/")
        request.options.timeouts.connect = .milliseconds(100)
        let error = try await expectFailure(.connectTimeout) { [request] in try await subject.adapter.send(request) }
        try expectEqual(error.phase, .connecting)
        withExtendedLifetime(full) {}
      },
      .init("the connect timeout ends with the connection", needs: .connectTimeout) { subject in
        // A machine that is busy may not have connected in that time; then it is given more.
        for limit in [250, 1000, 4000, 16_000] {
          do {
            let response = try await subject.connection.get("drip?count=2&interval=\(limit + 50)&size=1") {
              $0.options.timeouts.connect = .milliseconds(limit)
            }
            return try expectEqual(response.body.length, 2)
          } catch let error as TransportError {
            try expect(error.code == .connectTimeout && subject.server.requestCount == 0, "\(error)")
          }
        }
        throw ConformanceError(message: "there was no connection in time", file: #fileID, line: #line)
      },
      .init("a request can have no connect timeout", needsWire: false) { subject in
        let response = try await subject.connection.get("hello") {
          $0.options.timeouts = Timeouts(connect: nil, idle: nil, total: nil)
        }
        try expectEqual(response.status, .ok)
      },
    ])
}
