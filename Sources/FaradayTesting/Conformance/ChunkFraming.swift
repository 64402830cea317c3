internal import FaradayCore

extension ConformanceGroup {
  /// The framing of chunked bodies: sizes, extensions and line ends.
  static let chunkFraming: ConformanceGroup = .init(
    name: "chunk framing", needs: .strictFraming,
    cases: [
      ("a carriage return in a chunk size", "5\rX"),
      ("a carriage return and a digit in a chunk size", "5\r5"),
      ("a hexadecimal prefix of a chunk size", "0x5"),
      ("a chunk size with a sign", "+5"),
      ("a space before a chunk size", " 5"),
      ("two chunk sizes", "5 5"),
      ("a missing chunk size", ""),
      ("a chunk extension without a size", ";ext"),
      ("a letter after a chunk size", "5g"),
    ].flatMap { sentence, size in
      isMalformed(sentence, answering: head + "\(size)\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
    }
      + [
        ("a chunk extension", "5;ext"), ("a chunk extension with a value", "5;ext=value"),
        ("a chunk extension with a quoted value", "5;ext=\"a b\""),
        ("leading zeros of a chunk size", "0000000005"),
      ].flatMap { sentence, size in
        isFine("accepted: \(sentence)", answering: head + "\(size)\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + isFine(
        "a chunk extension of 100 kB is skipped or rejected",
        answering: head + "5;" + String(repeating: "x", count: 100_000) + "\r\nhello\r\n0\r\n\r\n", or: .headTooLarge)
      + [
        ("an endless chunk extension", "5;"), ("an endless chunk size of zeros", "0"),
        ("endless spaces after a chunk size", "5 "),
        ("chunks with more framing than data", ""),
      ].flatMap { sentence, start in
        DeliveryKind.allCases.map { delivery in
          Case("rejected: \(sentence), \(delivery.rawValue)", needs: delivery.needs) { subject in
            let last = start.last.map { $0 == ";" ? "x" : String($0) }
            let piece =
              last.map { String(repeating: $0, count: 16 << 10) }
              ?? String(repeating: "1;" + String(repeating: "x", count: 200) + "\r\nx\r\n", count: 64)
            let server = try RawServer { connection in
              _ = try connection.readHead()
              try connection.send(head + start)
              while true { try connection.send(piece) }
            }
            defer { server.stop() }
            let connection = try subject.connection(to: server)
            let error = try await expectFailure(.headTooLarge, .malformedResponse) { try await delivery.get(connection) }
            try expect(!error.isTransient, "\(error)")
          }
        }
      }
      + isFine(
        "small chunks with small extensions are accepted",
        answering: head + String(repeating: "1;a=b\r\nx\r\n", count: 20_000) + "0\r\n\r\n",
        body: String(repeating: "x", count: 20_000), in: DeliveryKind.allCases)
      + [4_200, 110_000].flatMap { size in
        DeliveryKind.allCases.map { delivery in
          Case("a trailer line of \(size) bytes is rejected, \(delivery.rawValue)", needs: delivery.needs) { subject in
            let answer = head + "5\r\nhello\r\n0\r\nX: " + String(repeating: "x", count: size) + "\r\n\r\n"
            // Whole, and in pieces: a limit must not depend on the reads.
            for pieces in [[answer], [String(answer.dropLast(2000)), String(answer.suffix(2000))]] {
              let server = try RawServer { connection in
                _ = try connection.readHead()
                for piece in pieces {
                  try connection.send(piece)
                  try connection.pause(milliseconds: 20)
                }
                connection.halfClose()
                connection.waitForClose()
              }
              defer { server.stop() }
              let connection = try subject.connection(to: server)
              try await expectFailure(.headTooLarge) { try await delivery.get(connection) }
            }
          }
        }
      }
      + [
        ("a trailer without a colon", "no colon"), ("a trailer without a name", ": value"),
        ("a trailer of NUL characters", "\0\0"),
      ].flatMap { sentence, trailer in
        isMalformed(sentence, answering: head + "5\r\nhello\r\n0\r\n\(trailer)\r\n\r\n", in: DeliveryKind.allCases)
      }
      + isMalformed("bytes after a chunk", answering: head + "5\r\nhelloX\r\n0\r\n\r\n", in: DeliveryKind.allCases))

  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
}
