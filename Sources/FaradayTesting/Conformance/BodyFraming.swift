internal import FaradayCore

extension ConformanceGroup {
  /// A response with ambiguous framing of its body is an error.
  static let bodyFraming: ConformanceGroup = .init(
    name: "framing", needs: .strictFraming,
    cases: twoEnds
      + [
        ("a space after the name Transfer-Encoding", "Transfer-Encoding : chunked"),
        ("a tab after the name Transfer-Encoding", "Transfer-Encoding\t: chunked"),
      ].flatMap { sentence, field in
        isMalformed(
          sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + [
        ("a folded zero in Content-Length", "Content-Length: 5\r\n 0"),
        ("a space after the name Content-Length", "Content-Length : 5"),
        ("a tab after the name Content-Length", "Content-Length\t: 5"),
        ("a Content-Length with a sign", "Content-Length: +5"),
        ("two numbers in Content-Length", "Content-Length: 5 5"),
        ("a list of different lengths", "Content-Length: 5, 6"),
        ("a hexadecimal Content-Length", "Content-Length: 0x5"),
        ("a Content-Length with trailing text", "Content-Length: 5x"),
        ("an empty Content-Length", "Content-Length: "),
        ("a Content-Length that overflows", "Content-Length: 99999999999999999999"),
      ].flatMap { sentence, field in
        isMalformed(sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\nhello", in: DeliveryKind.allCases)
      }
      // Unfolded before it is read (RFC 9112, section 5.2), or refused; never ignored.
      + [
        ("a folded Transfer-Encoding is unfolded or rejected", "Transfer-Encoding:\r\n chunked"),
        ("a Transfer-Encoding folded with a tab is unfolded or rejected", "Transfer-Encoding:\r\n\tchunked"),
      ].flatMap { sentence, field in
        isFine(
          sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases,
          or: .malformedResponse)
      }
      + isFine(
        "a folded Content-Length is unfolded or rejected",
        answering: "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello, again", in: DeliveryKind.allCases,
        or: .malformedResponse)
      + isFine(
        "a Content-Length listed twice counts once or is rejected",
        answering: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        or: .malformedResponse)
      + [
        "Transfer-Encoding: chunked\r\nContent-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Content-Length: 300\r\nTransfer-Encoding: chunked",
      ].flatMap { fields in
        isFine(
          "chunked takes precedence: \(fields.replacing("\r\n", with: ", "))",
          answering: "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + ["gzip, chunked", "gzip", "odd"].flatMap { coding in
        [("HEAD", "200 OK", HTTPRequest.Method.head), ("a 304", "304 Not Modified", .get)].map { name, status, method in
          Case("the transfer coding '\(coding)' of a bodiless response to \(name) is ignored") { subject in
            let answer = "HTTP/1.1 \(status)\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            try await subject.withServer(answering: Array(answer.utf8)) { connection in
              for asked in [false, true] {
                let response = try await connection.send(method, "") { if asked { $0.headers[.te] = "gzip" } }
                try expectEqual(response.status.code, method == .head ? 200 : 304)
                try expect(try await response.body.collect(upTo: .max).isEmpty, "it has a body")
              }
            }
          }
        }
      })

  /// A Content-Length besides a transfer coding that is not chunked: parsers disagree about the end of the body.
  private static let twoEnds: [Case] = {
    var cases = isFine(
      "an identity transfer coding without a length is accepted",
      answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello", in: DeliveryKind.allCases)
    for coding in ["identity", "", ","] {
      for length in [5, 100] {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\nContent-Length: \(length)\r\n\r\n"
        cases += isMalformed(
          "Content-Length \(length) beside the transfer coding '\(coding)'", answering: head + "hello", in: DeliveryKind.allCases)
      }
    }
    return cases
  }()
}
