internal import FaradayCore

extension ConformanceGroup {
  static let uploadProgress: ConformanceGroup = .init(
    name: "upload progress", needs: .uploadProgress,
    cases: BodyKind.allCases.flatMap { kind in
      [0, 1, 70_000, 1_000_000].map { count in
        Case("\(kind.rawValue): progress rises to \(count)", needs: kind.needs, needsWire: false) { subject in
          let log = Log<TransferProgress>()
          try await kind.with(pattern(count)) { body in
            _ = try await subject.connection.post("echo", body: body) { $0.options.onUploadProgress = { log.append($0) } }
          }
          let bytes = log.elements.map(\.bytes)
          try expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0 < $1 }, "it does not rise: \(bytes)")
          try expectEqual(bytes.last ?? 0, Int64(count))
          let total = kind == .chunked ? nil : Int64(count)
          try expect(log.elements.allSatisfy { $0.total == total }, "the total is not \(String(describing: total))")
        }
      }
    })
}
