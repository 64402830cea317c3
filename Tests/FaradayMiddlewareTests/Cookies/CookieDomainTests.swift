import Faraday
import FoundationEssentials
import Testing

/// To which hosts, paths and schemes a cookie goes, and for which it may be set.
@Suite struct CookieDomainTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(arguments: [
    ("example.com", "other.com"), ("example.com", "www.example.com"), ("example.com", "ample.com"), ("example.com", "com"),
    ("a.example.com", "b.example.com"), ("example.com", "..example.com"), ("example.com", "example.com."),
    ("example.com", "exämple.com"), ("example.com", "example.com:80"), ("example.com", "*.com"), ("example.com", "example com"),
    // Suffixes that strangers share.
    ("example.co.uk", "co.uk"), ("me.github.io", "github.io"), ("a.b.ck", "b.ck"), ("a.www.ck", "ck"),
    ("a.c.kobe.jp", "c.kobe.jp"),
    // The parents of wildcard rules are rejected too: their children are public suffixes.
    ("x.kawasaki.jp", "kawasaki.jp"), ("a.x.kawasaki.jp", "kawasaki.jp"), ("city.kawasaki.jp", "kawasaki.jp"),
    ("lb.elb.amazonaws.com", "elb.amazonaws.com"), ("a.lb.elb.amazonaws.com", "elb.amazonaws.com"),
    ("a.xn--55qx5d.cn", "xn--55qx5d.cn"), ("a.localhost", "localhost"), ("a.unlisted", "unlisted"), ("example.com.", "com."),
    // Nothing lies in an address.
    ("127.0.0.1", "0.0.1"), ("127.0.0.1", "1"), ("1.2.3.0x10", "3.0x10"), ("[::1]", "1]"),
    ("[::1]", "[::2]"), ("[::1]", "[]"), ("[::1]", "[[::1]]"), ("[::1]", "[::1"), ("127.0.0.1", "[127.0.0.1]"),
    ("example.com", "[example.com]"),
  ])
  func `a Domain that does not cover the host is rejected`(host: String, domain: String) throws {
    let jar = CookieJar()
    #expect(throws: CookieError.self) { try jar.receive("a=1; Domain=\(domain)", from: url("http://\(host)/")) }
    #expect(jar.cookies.isEmpty)
  }

  @Test(arguments: [
    ("www.example.com", "", "www.example.com"), ("www.example.com", "; Domain", "www.example.com"),
    ("www.example.com", "; Domain=", "www.example.com"), ("www.example.com", "; Domain=.", "www.example.com"),
    ("www.example.com", "; Domain=example.com; Domain=", "www.example.com"),
    // A suffix, but the host's own name.
    ("github.io", "; Domain=github.io", "github.io"), ("localhost", "; Domain=localhost", "localhost"),
    ("127.0.0.1", "; Domain=127.0.0.1", "127.0.0.1"), ("127.0.0.1", "; Domain=.127.0.0.1", "127.0.0.1"),
    ("[::1]", "; Domain=::1", "::1"), ("[::1]", "; Domain=[::1]", "::1"), ("[fe80::a]", "; Domain=[FE80::A]", "fe80::a"),
    ("kawasaki.jp", "; Domain=kawasaki.jp", "kawasaki.jp"),
    ("elb.amazonaws.com", "; Domain=.elb.amazonaws.com", "elb.amazonaws.com"),
    ("WWW.Example.COM", "", "www.example.com"), ("example.com.", "", "example.com."),
    ("bücher.example", "", "xn--bcher-kva.example"), ("ex%61mple.com", "", "example.com"),
  ])
  func `a cookie without Domain, or with the host's own public suffix, is host-only`(
    host: String, attribute: String, domain: String
  ) throws {
    let jar = CookieJar()
    try jar.receive("a=1\(attribute)", from: url("http://\(host)/"))
    let cookie = try #require(jar.cookies.first)
    #expect(cookie.domain == domain && cookie.isHostOnly)
    #expect(jar.header(for: try url("http://\(host)/")) == "a=1")
    #expect(jar.header(for: try url("http://x.example.com/")) == nil)
  }

  @Test(arguments: [
    ("www.example.com", "example.com"), ("www.example.com", ".Example.COM"), ("example.com", "example.com"),
    ("a.b.example.co.uk", "example.co.uk"), ("a.www.ck", "www.ck"), ("a.city.kobe.jp", "city.kobe.jp"),
    ("me.github.io", "me.github.io"),
  ])
  func `a valid Domain is lower-cased and loses its leading dot`(host: String, domain: String) throws {
    let jar = CookieJar()
    try jar.receive("a=1; Domain=\(domain)", from: url("http://\(host)/"))
    let cookie = try #require(jar.cookies.first)
    #expect(cookie.domain == domain.lowercased().drop { $0 == "." } && !cookie.isHostOnly)
  }

  @Test(arguments: [
    ("example.com", true), ("EXAMPLE.com", true), ("www.example.com", true), ("a.b.example.com", true),
    ("example.com:8080", true),
    ("com", false), ("badexample.com", false), ("example.com.evil.net", false), ("example.org", false), ("example.com.", false),
    ("evil.net%2F.example.com", false), ("evil.net%00.example.com", false), ("..example.com", false),
  ])
  func `a domain cookie is sent to the domain and its subdomains`(host: String, goes: Bool) throws {
    let jar = CookieJar()
    try jar.insert(Cookie("a", "1", domain: "example.com", isHostOnly: false))
    guard let url = URL(string: "http://\(host)/") else { return #expect(!goes) }
    #expect((jar.header(for: url) == "a=1") == goes)
  }

  @Test(arguments: [
    ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true), ("/a/", "/a/b", true),
    ("/", "", true), ("/a", "/a?q", true), ("/a", "/", false), ("/a", "/ab", false), ("/a/", "/a", false), ("/a", "/A", false),
    ("/a", "/b/a", false), ("/a b", "/a%20b", false), ("/a", "/a%2Fb", false), ("/a", "", false), ("/a", "/?/a", false),
  ])
  func `a cookie is sent to its path and the paths below it`(path: String, requested: String, goes: Bool) throws {
    let jar = CookieJar()
    try jar.insert(Cookie("a", "1", domain: "example.com", path: path))
    #expect((jar.header(for: try url("http://example.com" + requested)) == "a=1") == goes)
  }

  @Test(arguments: ["[.::1]", "[::1.]", "[:]", "[:::]", "[1::2::3]", "[1:2:3:4:5:6:7]", "[::1.2.3]", "[12345::]", "[::1%2500]"])
  func `a bracketed host that is not an IPv6 address has no cookies`(host: String) throws {
    let jar = CookieJar()
    #expect(throws: CookieError.self) { try jar.receive("a=1", from: url("http://\(host)/")) }
    #expect(jar.cookies.isEmpty)
  }

  @Test func `a Secure cookie is neither set nor sent over http, even on loopback`() throws {
    for host in ["example.com", "localhost", "127.0.0.1", "[::1]"] {
      let jar = CookieJar()
      #expect(throws: CookieError.self) { try jar.receive("a=1; Secure", from: url("http://\(host)/")) }
      try jar.receive("a=1; Secure", from: url("HTTPS://\(host)/"))
      #expect(jar.header(for: try url("http://\(host)/")) == nil)
      #expect(jar.header(for: try url("https://\(host)/")) == "a=1")
    }
  }

  @Test(arguments: [
    ("localhost", true), ("a.localhost", true), ("127.0.0.1", true), ("127.9.8.7", true), ("[::1]", true),
    ("localhost.com", false), ("127.0.0.1.com", false), ("128.0.0.1", false), ("127.1", false), ("example.com", false),
  ])
  func `loopback counts as secure if the program allows it`(host: String, isTrusted: Bool) throws {
    let jar = CookieJar(trustsLoopback: true)
    try? jar.receive("a=1; Secure", from: url("http://\(host)/"))
    #expect((jar.header(for: try url("http://\(host)/")) == "a=1") == isTrusted)
  }

  @Test(arguments: [
    // Name, path and domain of cookies from http, against `a` of /login of www.example.com.
    ("a=x; Path=/login", false), ("a=x; Path=/login/en", false), ("a=x; Path=/login; Domain=example.com", false),
    ("a=x; Path=/", true), ("a=x; Path=/foo", true), ("a=x; Path=/loginx", true), ("b=x; Path=/login", true),
  ])
  func `a cookie from http does not shadow a Secure cookie`(field: String, isKept: Bool) throws {
    let jar = CookieJar()
    try jar.receive("a=1; Secure; Path=/login; Domain=example.com", from: url("https://www.example.com/"))
    try? jar.receive(field, from: url("http://www.example.com/"))
    #expect(jar.cookies.contains { $0.value == "x" } == isKept)
    #expect(jar.cookies.contains { $0.value == "1" })
    // Over https it may, and may even take its place.
    try jar.receive("a=2; Path=/login; Domain=example.com", from: url("https://www.example.com/"))
    #expect(!jar.cookies.contains { $0.value == "1" })
  }

  @Test func `an expired Secure cookie does not block a cookie from http`() throws {
    let now = Now()
    let jar = CookieJar(now: { now.date })
    try jar.receive("a=1; Secure; Max-Age=60", from: url("https://www.example.com/"))
    now.advance(by: 59)
    #expect(throws: CookieError.self) { try jar.receive("a=x", from: url("http://www.example.com/")) }
    now.advance(by: 1)
    try jar.receive("a=x", from: url("http://www.example.com/"))
    #expect(jar.header(for: try url("http://www.example.com/")) == "a=x")
  }

  @Test func `a cookie from http shadows no Secure cookie of a parent domain or subdomain`() throws {
    let jar = CookieJar()
    try jar.receive("a=1; Secure; Path=/", from: url("https://www.example.com/"))
    #expect(throws: CookieError.self) { try jar.receive("a=x; Domain=example.com; Path=/", from: url("http://example.com/")) }
    try jar.receive("b=1; Secure; Path=/; Domain=example.com", from: url("https://example.com/"))
    #expect(throws: CookieError.self) { try jar.receive("b=x", from: url("http://www.example.com/")) }
    try jar.receive("a=x", from: url("http://example.net/"))
    #expect(jar.cookies.count == 3)
  }

  @Test(
    arguments: [
      String(repeating: "a.", count: 500_000) + "com", String(repeating: "%E4%B8%80%E4%B8%81%E4%B8%82", count: 30_000),
      (0..<20_000).map {
        "%E\(String(4 + $0 >> 12, radix: 16))%\(String(0x80 + $0 >> 6 & 63, radix: 16))%\(String(0x80 + $0 & 63, radix: 16))"
      }
      .joined(),
    ])
  func `a host above the maximum length has no cookies and costs no time`(host: String) throws {
    let far = try url("http://\(host)/")
    let jar = CookieJar()
    try jar.receive("a=1", from: url("http://example.com/"))
    #expect(jar.header(for: far) == nil)
    #expect(throws: CookieError.self) { try jar.receive("a=1", from: far) }
    let longest = "http://" + String(repeating: "a.", count: 125) + "com/"
    try jar.receive("b=1", from: url(longest))
    #expect(try jar.header(for: url(longest)) == "b=1")
  }
}
