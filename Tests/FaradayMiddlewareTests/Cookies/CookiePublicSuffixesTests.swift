import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

/// The rules of https://publicsuffix.org/list/, with vectors in the style of its own.
@Suite struct CookiePublicSuffixesTests {
  @Test(arguments: [
    "", ".com", ".example", ".example.com", "a..com", "COM", "example", "biz", "com", "uk.com", "mm", "c.mm", "jp", "ac.jp",
    "kyoto.jp", "ide.kyoto.jp", "c.kobe.jp", "ck", "test.ck", "us", "ak.us", "k12.ak.us", "公司.cn", "中国", "xn--55qx5d.cn",
    "xn--fiqs8s", "github.io", "127.0.0.1", "::1", "1",
  ])
  func `public suffixes, addresses and invalid names have no registrable domain`(host: String) {
    #expect(PublicSuffixes.builtIn.registrableDomain(of: host) == nil)
  }

  @Test(arguments: [
    ("example.COM", "example.com"), ("WwW.example.COM", "example.com"), ("a.b.example.example", "example.example"),
    ("a.b.domain.biz", "domain.biz"), ("a.b.example.com", "example.com"), ("a.b.example.uk.com", "example.uk.com"),
    ("test.ac", "test.ac"), ("a.b.c.mm", "b.c.mm"), ("www.test.jp", "test.jp"), ("www.test.ac.jp", "test.ac.jp"),
    ("test.kyoto.jp", "test.kyoto.jp"), ("a.b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("a.b.c.kobe.jp", "b.c.kobe.jp"),
    ("city.kobe.jp", "city.kobe.jp"), ("www.city.kobe.jp", "city.kobe.jp"), ("a.b.test.ck", "b.test.ck"), ("www.ck", "www.ck"),
    ("www.www.ck", "www.ck"), ("www.test.k12.ak.us", "test.k12.ak.us"), ("me.github.io", "me.github.io"),
    ("食狮.com.cn", "xn--85x722f.com.cn"), ("www.食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"), ("shishi.公司.cn", "shishi.xn--55qx5d.cn"),
    ("食狮.中国", "xn--85x722f.xn--fiqs8s"), ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ("shishi.xn--fiqs8s", "shishi.xn--fiqs8s"), ("www.bücher.example", "xn--bcher-kva.example"),
  ])
  func `a registrable domain is one label longer than its public suffix`(host: String, domain: String) {
    #expect(PublicSuffixes.builtIn.registrableDomain(of: host) == domain)
    #expect(!PublicSuffixes.builtIn.contains(domain))
  }

  @Test func `the compiled list contains the first and the last rule`() {
    #expect(PublicSuffixes.builtIn.contains("zw") && PublicSuffixes.builtIn.contains("co.zw"))
    #expect(!PublicSuffixes.builtIn.contains("city.kawasaki.jp") && PublicSuffixes.builtIn.contains("x.kawasaki.jp"))
    #expect(PublicSuffixes.builtInVersion >= "2026-10")
  }

  @Test func `a custom list is read in its own format and in any order`() throws {
    let text = """
      // A comment
      zoo
      *.bücher.zoo   and what follows a space

      !own.bücher.zoo
      B.Zoo\r
      a.zoo
      """
    let file = try TemporaryFile(Data(text.utf8))
    for suffixes in [try PublicSuffixes(parsing: text), try PublicSuffixes(contentsOf: file.path)] {
      for suffix in ["zoo", "a.zoo", "b.zoo", "x.bücher.zoo", "x.xn--bcher-kva.zoo", "com"] { #expect(suffixes.contains(suffix)) }
      for domain in ["c.zoo", "own.bücher.zoo", "co.uk", "x.a.zoo", "and.zoo"] { #expect(!suffixes.contains(domain)) }
      let jar = CookieJar(publicSuffixes: suffixes)
      #expect(throws: CookieError.self) { try jar.receive("a=1; Domain=a.zoo", from: #require(URL(string: "http://x.a.zoo"))) }
      try jar.receive("a=1; Domain=co.uk", from: #require(URL(string: "http://x.co.uk")))
    }
  }

  @Test func `a list that is missing or has no rule is an error`() {
    #expect(#expect(throws: InvalidValueError.self) { try PublicSuffixes(parsing: "// nothing\n\n") }?.kind == .publicSuffixList)
    #expect(throws: (any Error).self) { try PublicSuffixes(contentsOf: "/nonexistent/list") }
  }
}
