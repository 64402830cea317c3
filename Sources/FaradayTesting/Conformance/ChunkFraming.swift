internal import FaradayCore

extension ConformanceGroup {
  /// The framing of chunked bodies: sizes, extensions and line ends.
  static let chunkFraming: ConformanceGroup = .init(
    name: "chunk framing", needs: .strictFraming,
    cases: [
      ("a carriage return in a chunk's size", "5\rX"),
      ("a carriage return and a digit in a chunk's size", "5\r5"),
      ("a hexadecimal prefix", "0x5"),
      ("a sign", "+5"),
      ("a space before a chunk's size", " 5"),
      ("two sizes", "5 5"),
      ("no size", ""),
      ("an extension without a size", ";ext"),
      ("a letter behind a chunk's size", "5g"),
    ].flatMap { sentence, size in
      isMalformed(sentence, answering: head + "\(size)\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
    }
      + [
        ("an extension", "5;ext"), ("an extension with a value", "5;ext=value"), ("a quoted value", "5;ext=\"a b\""),
        ("zeros before a chunk's size", "0000000005"),
      ].flatMap { sentence, size in
        isFine("\(sentence) is allowed", answering: head + "\(size)\r\nhello\r\n0\r\n\r\n", in: DeliveryKind.allCases)
      }
      + isFine(
        "an extension of 100 kB is passed over, or too much",
        answering: head + "5;" + String(repeating: "x", count: 100_000) + "\r\nhello\r\n0\r\n\r\n", or: .headTooLarge)
      + [
        ("a trailer without a colon", "no colon"), ("a trailer without a name", ": value"), ("a trailer of zeros", "\0\0"),
      ].flatMap { sentence, trailer in
        isMalformed(sentence, answering: head + "5\r\nhello\r\n0\r\n\(trailer)\r\n\r\n", in: DeliveryKind.allCases)
      }
      + isMalformed("bytes behind a chunk", answering: head + "5\r\nhelloX\r\n0\r\n\r\n", in: DeliveryKind.allCases))

  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
}
