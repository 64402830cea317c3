import FaradayContentCoding
import Testing

@Suite struct ContentCodingTests {
  @Test func `several fields and lists are one list, in order, whatever the case`() {
    #expect(ContentCoding.list(["gzip"]) == [.gzip])
    #expect(ContentCoding.list(["GZip ,\tdeflate", " X-GZIP "]) == [.gzip, .deflate, .gzip])
    #expect(ContentCoding.list(["identity", ",, ,", "Identity, deflate"]) == [.deflate])
  }

  @Test func `no field, an empty one and identity are no coding`() {
    #expect(ContentCoding.list([]) == [])
    #expect(ContentCoding.list([""]) == [])
    #expect(ContentCoding.list([" ", "identity"]) == [])
  }

  @Test func `one that is not known makes the whole list unknown`() {
    for value in ["compress", "gzip, compress", "gzip;q=1", "gzip gzip", "gz\u{0}ip", "gzíp", "x-deflate", "*"] {
      #expect(ContentCoding.list([value]) == nil, "\(value)")
    }
    #expect(ContentCoding.list(["compress", "gzip"]) == nil)
  }

  @Test func `what is accepted is what is decoded`() {
    let names = ContentCoding.accepted.split(separator: ", ").map(String.init)
    #expect(names.prefix(2) == ["gzip", "deflate"])
    for name in names { #expect(ContentCoding.list([name])?.count == 1, "\(name)") }
    #if Brotli
    #expect(names == ["gzip", "deflate", "br"])
    #else
    #expect(ContentCoding.list(["br"]) == nil)
    #endif
  }
}
