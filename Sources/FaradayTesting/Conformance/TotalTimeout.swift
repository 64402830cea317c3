internal import FaradayCore

extension ConformanceGroup {
  static let totalTimeout: ConformanceGroup = .init(
    name: "total timeout", needs: .totalTimeout,
    cases: ["stall", "stall/body", "drip?count=1000&interval=10&size=1"].map { path in
      Case("/\(path): the total timeout expires in every phase") { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get(path) { $0.options.timeouts.total = .milliseconds(100) }
        }
      }
    } + [
      .init("the total timeout includes chunks") { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get("drip?count=1000&interval=10&size=1") {
            $0.options.timeouts.total = .milliseconds(100)
            $0.options.onChunk = { _ in .continue }
          }
        }
      },
      .init("the total timeout includes a streamed body", needs: .streamedDownload) { subject in
        try await expectFailure(.totalTimeout) {
          try await subject.connection.get("drip?count=1000&interval=10&size=1") {
            $0.options.timeouts.total = .milliseconds(100)
            $0.options.delivery = .streamed
          }
        }
      },
      .init("the total timeout includes a slow reader", needs: [.streamedDownload, .backpressure]) { subject in
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
      .init("the total timeout includes a slow source", needs: .streamedUpload) { subject in
        try await patiently(from: .milliseconds(100)) { limit in
          let dry = StalledSource()
          try await expectFailure(.totalTimeout) {
            try await subject.connection.post("upload", body: .stream(dry)) { $0.options.timeouts.total = limit }
          }
          guard dry.hasBegun.isOpen else { throw TooSlow() }
          try expect(await dry.hasGone.opened(), "the source is still read")
        }
      },
      .init("a request in time succeeds") { subject in
        let response = try await subject.connection.get("bytes/100000") { $0.options.timeouts.total = .seconds(60) }
        try expectEqual(response.body.length, 100_000)
      },
    ])
}
