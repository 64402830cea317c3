internal import FaradayCore

extension ConformanceGroup {
  /// One HTTP/1.1 chunk is one call of the callback, even if many chunks arrive at once and the callback is slow.
  static let unmergedChunks: ConformanceGroup = .init(
    name: "unmerged chunks",
    cases: [(500, 10), (5000, 1), (40, 4000)].map { count, size in
      // A chunk in two reads is delivered as two pieces, but no piece contains bytes of two chunks.
      Case("\(count) chunks of \(size) bytes are not merged, however slow the callback is") { subject in
        let text = String(repeating: "x", count: size)
        let chunk = "\(String(size, radix: 16))\r\n\(text)\r\n"
        let answer =
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: count) + "0\r\n\r\n"
        let seen = Log<Int>()
        let clock = ContinuousClock()
        try await subject.withServer(answering: answer) { connection in
          _ = try await connection.get {
            $0.options.onChunk = { bytes in
              seen.append(bytes.byteCount)
              // Busy, as a callback that parses is.
              let end = clock.now + .microseconds(count > 1000 ? 10 : 100)
              while clock.now < end {}
              return .continue
            }
          }
        }
        var end = 0
        let ends = Set(
          seen.elements.map { piece in
            end += piece
            return end
          })
        try expectEqual(end, size * count)
        try expect((1...count).allSatisfy { ends.contains($0 * size) }, "\(seen.elements)")
      }
    })
}
