internal import FaradayCore

extension ConformanceGroup {
  /// A response with ambiguous framing of its body is an error.
  static let bodyFraming: ConformanceGroup = .init(
    name: "framing", needs: .strictFraming,
    cases: twoEnds
      + [
        ("a space behind the transfer coding's name", "Transfer-Encoding : chunked"),
        ("a tab behind the transfer coding's name", "Transfer-Encoding\t: chunked"),
      ].flatMap { sentence, field in
        isMalformed(
          sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + [
        ("a length with a folded zero", "Content-Length: 5\r\n 0"),
        ("a space behind the length's name", "Content-Length : 5"),
        ("a tab behind the length's name", "Content-Length\t: 5"),
        ("a length with a sign", "Content-Length: +5"),
        ("two lengths in one", "Content-Length: 5 5"),
        ("two lengths in a list that differ", "Content-Length: 5, 6"),
        ("a hexadecimal length", "Content-Length: 0x5"),
        ("a length with something behind it", "Content-Length: 5x"),
        ("an empty length", "Content-Length: "),
        ("a length beyond all numbers", "Content-Length: 99999999999999999999"),
      ].flatMap { sentence, field in
        isMalformed(sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\nhello", in: DeliveryKind.allCases)
      }
      // Unfolded before it is read (RFC 9112, section 5.2), or refused; never ignored.
      + [
        ("a folded transfer coding", "Transfer-Encoding:\r\n chunked"),
        ("a transfer coding folded with a tab", "Transfer-Encoding:\r\n\tchunked"),
      ].flatMap { sentence, field in
        isFine(
          sentence, answering: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases,
          or: .malformedResponse)
      }
      + isFine(
        "a folded length", answering: "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello, again", in: DeliveryKind.allCases,
        or: .malformedResponse)
      + isFine(
        "a length that is in its list twice is one, or none", answering: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        or: .malformedResponse)
      + [
        "Transfer-Encoding: chunked\r\nContent-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Content-Length: 300\r\nTransfer-Encoding: chunked",
      ].flatMap { fields in
        isFine(
          "chunked wins: \(fields.replacing("\r\n", with: ", "))",
          answering: "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + ["gzip, chunked", "gzip", "odd"].flatMap { coding in
        [("HEAD", "200 OK", HTTPRequest.Method.head), ("a 304", "304 Not Modified", .get)].map { name, status, method in
          Case("the transfer coding '\(coding)' of the response to \(name) is that of no body") { subject in
            let answer = "HTTP/1.1 \(status)\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            try await subject.withServer(answering: Array(answer.utf8)) { connection in
              for asked in [false, true] {
                let response = try await connection.run(method, "") { if asked { $0.headers[.te] = "gzip" } }
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
      "a transfer coding that is none, without a length",
      answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello", in: DeliveryKind.allCases)
    for coding in ["identity", "", ","] {
      for length in [5, 100] {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\nContent-Length: \(length)\r\n\r\n"
        cases += isMalformed(
          "a length of \(length) besides the transfer coding '\(coding)'", answering: head + "hello", in: DeliveryKind.allCases)
      }
    }
    return cases
  }()
}
