internal import FaradayCore
internal import Synchronization

extension ConformanceGroup {
  /// Bodies of more than 4 GiB, in constant memory: for adapters with backpressure.
  static let largeBodies: ConformanceGroup = .init(
    name: "large bodies", needs: .backpressure,
    cases: [
      .init("5 GB are received") { subject in
        let count = Atomic(0)
        let told = Atomic<Int64>(0)
        let response = try await subject.connection.get("bytes/\(size)") {
          $0.options.onChunk = { bytes in
            count.add(bytes.byteCount, ordering: .relaxed)
            return .continue
          }
          $0.options.onDownloadProgress = { told.store($0.bytes, ordering: .relaxed) }
        }
        try expectEqual(response.headers[.contentLength], "\(size)")
        try expectEqual(count.load(ordering: .relaxed), size)
        try expectEqual(told.load(ordering: .relaxed), Int64(size))
      },
      .init("5 GB are sent", needs: [.streamedUpload, .uploadProgress]) { subject in
        let told = Atomic<Int64>(0)
        let body = Body.stream(Zeros(count: size), length: Int64(size))
        let answer = try await subject.connection.put("upload", body: body) {
          $0.options.onUploadProgress = { told.store($0.bytes, ordering: .relaxed) }
        }
        let text = try await answer.body.utf8Text()
        try expect(text.contains("\"bytes\":\(size),"), text)
        try expectEqual(told.load(ordering: .relaxed), Int64(size))
      },
    ])

  private static let size = 5_000_000_000
}

/// An async sequence of so many zeros, as one repeated piece.
private struct Zeros: AsyncSequence, Sendable {
  let count: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var rest: Int
    private let piece = Data(count: 1 << 20)

    fileprivate init(_ count: Int) { rest = count }

    mutating func next() async -> Data? {
      guard rest > 0 else { return nil }
      defer { rest -= piece.count }
      return piece.prefix(rest)
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count) }
}
