internal import FaradayCore

extension ConformanceGroup {
  static let requestBodies: ConformanceGroup = .init(
    name: "request bodies",
    cases: [1, 1000, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_048_576, 3_000_000].map { count in
      Case("\(count) bytes arrive unchanged", needsWire: false) { subject in
        let data = pattern(count)
        try expectEqual(try await subject.connection.post("echo", body: .data(data)).body.collect(), data)
      }
    } + [
      .init("text is sent as UTF-8", needsWire: false) { subject in
        let request = try await Inspected(subject.connection.post("inspect", body: "snow: ☃"))
        try expectEqual(request.bodyText, "snow: ☃")
        try expectEqual(request.bodyLength, 9)
      },
      .init("an empty body is not sent", needsWire: false) { subject in
        try expectEqual(try await Inspected(subject.connection.post("inspect", body: .data(Data()))).bodyLength, 0)
      },
      .init("a slice is sent from its start", needsWire: false) { subject in
        let slice = pattern(100_000).dropFirst(500)
        try expectEqual(try await subject.connection.post("echo", body: .data(slice)).body.collect(), Data(slice))
      },
      .init("one body can be sent repeatedly", needsWire: false) { subject in
        let body = Body.data(pattern(100_000))
        for _ in 0..<3 {
          try expectEqual(try await subject.connection.put("echo", body: body).body.length, 100_000)
        }
      },
      .init("a value that is not encoded is refused", needsWire: false) { subject in
        let error = try await expectFailure(.invalidBody) {
          try await subject.connection.post("echo", body: .encodable(["a": 1]))
        }
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      },
    ])
}
