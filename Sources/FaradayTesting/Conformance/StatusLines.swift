internal import FaradayCore

extension ConformanceGroup {
  /// Malformed status lines, and versions that were not negotiated.
  static let statusLines: ConformanceGroup = .init(
    name: "status lines", needs: .strictFraming,
    cases: [
      ("text after the status", "HTTP/1.1 200X"),
      ("a tab after the status", "HTTP/1.1 200\tOK"),
      ("two spaces before the status", "HTTP/1.1  200 OK"),
      ("a tab before the status", "HTTP/1.1\t200 OK"),
      ("a status below the minimum", "HTTP/1.1 99 X"),
      ("a three-digit status below the minimum", "HTTP/1.1 099 X"),
      ("a status of zeros", "HTTP/1.1 000 X"),
      ("a two-digit status", "HTTP/1.1 20 OK"),
      ("a four-digit status", "HTTP/1.1 2000 OK"),
      ("a status with a sign", "HTTP/1.1 +20 OK"),
      ("HTTP/2 without negotiation", "HTTP/2 200"),
      ("HTTP/2.0 without negotiation", "HTTP/2.0 200 OK"),
      ("HTTP/3 without negotiation", "HTTP/3 200"),
    ].flatMap { sentence, line in
      isMalformed(sentence, answering: "\(line)\r\nContent-Length: 5\r\n\r\nhello", in: DeliveryKind.allCases)
    }
      + isMalformed(
        "two spaces in the line of an interim response",
        answering: "HTTP/1.1  100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      + isMalformed(
        "an interim status below the minimum",
        answering: "HTTP/1.1 099 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      + isMalformed("HTTP/2 without negotiation, up to the end of the connection", answering: "HTTP/2 200\r\n\r\nhello")
  )
}
