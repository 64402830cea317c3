internal import FaradayCore

extension ConformanceGroup {
  static let connectTimeout = ConformanceGroup(
    name: "connect timeout",
    cases: [
      .init("a listener whose queue is full", needs: .connectTimeout) { subject in
        let full = try FullListener()
        var request = try Request("http://127.0.0.1:\(full.port)/")
        request.options.timeouts.connect = .milliseconds(100)
        let error = try await expectFailure(.connectTimeout) { [request] in try await subject.adapter.send(request) }
        try expectEqual(error.phase, .connecting)
        withExtendedLifetime(full) {}
      },
      .init("it does not run once there is a connection", needs: .connectTimeout) { subject in
        let response = try await subject.connection.get("drip?count=2&interval=300&size=1") {
          $0.options.timeouts.connect = .milliseconds(250)
        }
        try expectEqual(response.body.length, 2)
      },
      .init("no limit at all is no limit", needsWire: false) { subject in
        let response = try await subject.connection.get("hello") {
          $0.options.timeouts = Timeouts(connect: nil, idle: nil, total: nil)
        }
        try expectEqual(response.status, .ok)
      },
    ])
}
