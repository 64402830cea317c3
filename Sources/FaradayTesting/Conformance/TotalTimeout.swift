internal import FaradayCore

extension ConformanceGroup {
  static let totalTimeout: ConformanceGroup = .init(
    name: "total timeout", needs: .totalTimeout,
    cases: ["stall", "stall/body", "drip?count=1000&interval=10&size=1"].map { path in
      Case("/\(path): it runs whatever happens meanwhile") { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get(path) { $0.options.timeouts.total = .milliseconds(100) }
        }
      }
    } + [
      .init("it runs while chunks come") { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get("drip?count=1000&interval=10&size=1") {
            $0.options.timeouts.total = .milliseconds(100)
            $0.options.onChunk = { _ in .continue }
          }
        }
      },
      .init("it runs while a streamed body comes", needs: .streamedDownload) { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get("drip?count=1000&interval=10&size=1") {
            $0.options.timeouts.total = .milliseconds(100)
            $0.options.delivery = .streamed
          }
        }
      },
      .init("it runs while the reader takes its time", needs: [.streamedDownload, .backpressure]) { subject in
        // An earlier timeout than the expected one came before the body.
        try await patiently(from: .milliseconds(300), repeating: .totalTimeout) { limit in
          let response = try await subject.connection.get("bytes/50000000") {
            $0.options.delivery = .streamed
            $0.options.timeouts.total = limit
          }
          var iterator = response.body.makeAsyncIterator()
          _ = try await iterator.next()
          _ = try await subject.connection.get("drip?count=2&interval=\(2 * limit.inMilliseconds)&size=1")
          try await expectFailure(.totalTimeout) {
            while try await iterator.next() != nil {}
            return response
          }
        }
      },
      .init("it runs while the source takes its time", needs: .streamedUpload) { subject in
        let dry = StalledSource()
        try await expectFailure(.totalTimeout) {
          try await subject.connection.post("upload", body: .stream(dry)) { $0.options.timeouts.total = .milliseconds(100) }
        }
        try expect(await dry.hasGone.opened(), "the source is still read")
      },
      .init("what is done in time is not disturbed") { subject in
        let response = try await subject.connection.get("bytes/100000") { $0.options.timeouts.total = .seconds(60) }
        try expectEqual(response.body.length, 100_000)
      },
    ])
}
