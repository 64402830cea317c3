import CLibraries
import Testing

@testable import FaradayContentCoding

@Suite struct ContentCodingTests {
  @Test func `several fields and lists are one case-insensitive list in order`() {
    #expect(ContentCoding.list(["gzip"]) == [.gzip])
    #expect(ContentCoding.list(["GZip ,\tdeflate", " X-GZIP "]) == [.gzip, .deflate, .gzip])
    #expect(ContentCoding.list(["identity", ",, ,", "Identity, deflate"]) == [.deflate])
  }

  @Test func `no field, an empty field and identity mean no coding`() {
    #expect(ContentCoding.list([]) == [])
    #expect(ContentCoding.list([""]) == [])
    #expect(ContentCoding.list([" ", "identity"]) == [])
  }

  @Test func `one unknown coding makes the whole list unknown`() {
    for value in ["compress", "gzip, compress", "gzip;q=1", "gzip gzip", "gz\u{0}ip", "gzíp", "x-deflate", "*"] {
      #expect(ContentCoding.list([value]) == nil, "\(value)")
    }
    #expect(ContentCoding.list(["compress", "gzip"]) == nil)
  }

  @Test func `every accepted coding can be decoded`() {
    let names = ContentCoding.accepted.split(separator: ", ").map(String.init)
    #expect(names.prefix(2) == ["gzip", "deflate"])
    for name in names { #expect(ContentCoding.list([name])?.count == 1, "\(name)") }
  }

  @Test func `br and zstd are offered and decoded only with their libraries`() {
    for (brotli, zstd) in [(false, false), (true, false), (false, true), (true, true)] {
      let available = ContentCoding.available(brotli: brotli, zstd: zstd)
      #expect(available == [.gzip, .deflate] + (brotli ? [.brotli] : []) + (zstd ? [.zstd] : []))
      #expect(ContentCoding.list(["br"], of: available) == (brotli ? [.brotli] : nil))
      #expect(ContentCoding.list(["gzip, zstd"], of: available) == (zstd ? [.gzip, .zstd] : nil))
    }
  }

  @Test func `a library that is missing, or that lacks a function, is not used`() {
    for name in ["libfaraday-missing.so", "libz.so.1"] {
      #expect(faraday_brotli.load(name) == nil)
      #expect(faraday_zstd.load(name) == nil)
    }
  }
}
