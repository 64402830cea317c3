/// The text as it stands in a segment or a value of a URI: all but the unreserved characters of RFC 3986 encoded.
func percentEncoded(_ text: String) -> String {
  let bytes = text.utf8.flatMap { byte -> [UInt8] in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      [byte]
    default: percentEncoded(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

func percentEncoded(_ byte: UInt8) -> [UInt8] {
  Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
}
