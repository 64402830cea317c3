internal import FaradayCore

extension ConformanceGroup {
  static let downloadProgress: ConformanceGroup = .init(
    name: "download progress",
    cases: [
      .init("download progress rises to the end and knows the total", needsWire: false) { subject in
        try await rises(to: 1_000_000, of: 1_000_000, subject, "bytes/1000000")
      },
      .init("a chunked body has no total") { subject in
        try await rises(to: 1_000_000, of: nil, subject, "bytes/1000000?chunked=1000")
      },
      .init("decoded bytes are counted, and have no total", needs: .encodedBodies) { subject in
        try await rises(to: 500_000, of: nil, subject, "gzip?size=500000") { $0.options.decompression = .standard }
      },
      .init("progress of chunks is reported", needsWire: false) { subject in
        try await rises(to: 1_000_000, of: 1_000_000, subject, "bytes/1000000") { $0.options.onChunk = { _ in .continue } }
      },
      .init("progress of a streamed body is reported", needs: .streamedDownload) { subject in
        try await rises(to: 1_000_000, of: 1_000_000, subject, "bytes/1000000") { $0.options.delivery = .streamed }
      },
      .init("no progress is reported without a body") { subject in
        let log = Log<TransferProgress>()
        _ = try await subject.connection.head("bytes/1000") { $0.options.onDownloadProgress = { log.append($0) } }
        try expect(log.elements.allSatisfy { $0.bytes == 0 }, "\(log.elements)")
      },
    ])

  private static func rises(
    to count: Int64, of total: Int64?, _ subject: AdapterConformance.Subject, _ path: String,
    edit: (inout Request) -> Void = { _ in }
  ) async throws {
    let log = Log<TransferProgress>()
    let response = try await subject.connection.get(path) {
      $0.options.onDownloadProgress = { log.append($0) }
      edit(&$0)
    }
    _ = try await response.body.collect()
    let bytes = log.elements.map(\.bytes)
    try expectEqual(bytes, bytes.sorted())
    try expectEqual(log.elements.last, TransferProgress(bytes: count, total: total))
  }
}
