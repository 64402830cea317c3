internal import FaradayCore

extension ConformanceGroup {
  static let timeoutExtremes: ConformanceGroup = .init(
    name: "timeout extremes",
    cases: [Duration.zero, .seconds(-1), .nanoseconds(1)].flatMap { duration in
      [
        Case("a connect timeout of \(duration as Duration) is accepted", needs: [.connectTimeout, .totalTimeout]) { subject in
          let full = try FullListener()
          try await isOver(.connectTimeout, Timeouts(connect: duration, total: longer), "http://127.0.0.1:\(full.port)/", subject)
          withExtendedLifetime(full) {}
        },
        Case("an idle timeout of \(duration as Duration) is accepted", needs: [.idleTimeout, .totalTimeout]) { subject in
          try await isOver(.idleTimeout, Timeouts(idle: duration, total: longer), subject.server.url + "/stall", subject)
        },
        Case("a total timeout of \(duration as Duration) is accepted", needs: [.idleTimeout, .totalTimeout]) { subject in
          try await isOver(.totalTimeout, Timeouts(idle: longer, total: duration), subject.server.url + "/stall", subject)
        },
      ]
    } + [
      .init("the longest timeouts never expire", needs: [.connectTimeout, .idleTimeout, .totalTimeout]) { subject in
        let longest = Duration.seconds(Int64.max)
        let response = try await subject.connection.get("drip?count=3&interval=10&size=1") {
          $0.options.timeouts = Timeouts(connect: longest, idle: longest, total: longest)
        }
        try expectEqual(response.body.length, 3)
      }
    ])

  /// Ends the rule with another error, if the tested timeout does not.
  private static let longer = Duration.seconds(20)

  private static func isOver(
    _ code: TransportError.Code, _ timeouts: Timeouts, _ url: String, _ subject: AdapterConformance.Subject
  ) async throws {
    var request = try Request(url)
    request.options.timeouts = timeouts
    try await expectFailure(code) { [request] in try await subject.adapter.send(request) }
  }
}
