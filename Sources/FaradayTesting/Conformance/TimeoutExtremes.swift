internal import FaradayCore

extension ConformanceGroup {
  static let timeoutExtremes = ConformanceGroup(
    name: "limits of timeouts", needs: [.connectTimeout, .idleTimeout, .totalTimeout],
    cases: [Duration.zero, .seconds(-1), .nanoseconds(1), .seconds(Int64.max)].map { duration in
      Case("\(duration) is a timeout") { subject in
        let timeouts = Timeouts(connect: duration, idle: duration, total: duration)
        do {
          let response = try await subject.connection.get("hello") { $0.options.timeouts = timeouts }
          try expectEqual(response.status, .ok)
        } catch let error as TransportError {
          let codes: [TransportError.Code] = [.connectTimeout, .idleTimeout, .totalTimeout]
          try expect(duration < .seconds(1) && codes.contains(error.code), "\(error)")
        }
      }
    })
}
