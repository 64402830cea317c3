import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

/// Which cookies a jar keeps, how long, and in which order it returns them.
@Suite struct CookieJarTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(arguments: [
    Cookie("", "", domain: "example.com"), Cookie("a", "1", domain: ""), Cookie("a", "1", domain: "Example.com"),
    Cookie("a", "1", domain: ".example.com", isHostOnly: false), Cookie("a", "1", domain: "bücher.example"),
    Cookie("a", "1", domain: "a b"), Cookie("a", "1", domain: "com", isHostOnly: false),
    Cookie("a", "1", domain: "127.0.0.1", isHostOnly: false), Cookie("a", "1", domain: "example.com", path: ""),
    Cookie("a", "1", domain: "example.com", path: "x"), Cookie("a", "1\n", domain: "example.com"),
    Cookie("a\r", "1", domain: "example.com"), Cookie("a", "1;b=2", domain: "example.com"),
    Cookie("a=b", "1", domain: "example.com"), Cookie("", "a=1", domain: "example.com"), Cookie(" a", "1", domain: "example.com"),
    Cookie("a", "1 ", domain: "example.com"), Cookie("a", String(repeating: "x", count: 4096), domain: "example.com"),
    Cookie("__Host-a", "1", domain: "example.com"), Cookie("__Secure-a", "1", domain: "example.com"),
  ])
  func `the rules apply to cookies that a program inserts`(cookie: Cookie) {
    let jar = CookieJar()
    #expect(throws: CookieError.self) { try jar.insert(cookie) }
    #expect(jar.cookies.isEmpty)
  }

  @Test func `expired cookies are neither sent nor listed, and do not return when the clock is set back`() throws {
    let now = Now()
    let jar = CookieJar(now: { now.date })
    try jar.receive("a=1; Max-Age=60", from: url("http://example.com/"))
    try jar.receive("b=1; Max-Age=61", from: url("http://example.com/"))
    now.advance(by: 59.5)
    #expect(jar.header(for: try url("http://example.com/")) == "a=1; b=1")
    now.advance(by: 0.5)
    #expect(jar.header(for: try url("http://example.com/")) == "b=1")
    #expect(jar.cookies.map(\.name) == ["b"])
    jar.removeExpired()
    now.advance(by: -60)
    #expect(jar.cookies.map(\.name) == ["b"])
  }

  @Test func `a cookie replaces one with the same name, domain and path, and keeps its creation time`() throws {
    let now = Now()
    let jar = CookieJar(now: { now.date })
    let page = try url("http://www.example.com/x/")
    for field in ["a=1; Path=/", "b=1; Path=/", "A=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=www.example.com"] {
      try jar.receive(field, from: page)
      now.advance(by: 1)
    }
    #expect(jar.header(for: page) == "a=2; a=1; b=1; A=1; a=3")
    let created = jar.cookies[0].created
    try jar.receive("a=4; Path=/", from: page)
    #expect(jar.header(for: page) == "a=2; a=4; b=1; A=1; a=3")
    #expect(jar.cookies[0].value == "4" && jar.cookies[0].created == created)
    // An expired cookie removes it.
    try jar.receive("a=; Path=/; Max-Age=0", from: page)
    #expect(jar.header(for: page) == "a=2; b=1; A=1; a=3")
  }

  @Test func `cookies are sent by path length and then by age, even if the clock is set back`() throws {
    let now = Now()
    let jar = CookieJar(now: { now.date })
    for field in [
      "c=1; Path=/", "b=1; Path=/a/b", "a=1; Path=/a", "d=1; Path=/", "e=1; Path=/a; Domain=example.com", "f=1; Path=/z",
    ] {
      try jar.receive(field, from: url("http://www.example.com/"))
      now.advance(by: -10)
    }
    #expect(jar.header(for: try url("http://www.example.com/a/b/c")) == "b=1; a=1; e=1; c=1; d=1")
    #expect(jar.cookies(for: try url("http://www.example.com/")).map(\.name) == ["c", "d"])
    #expect(jar.cookies.map(\.name) == ["c", "b", "a", "d", "e", "f"])
  }

  @Test func `a full domain evicts expired cookies first, then the least recently used, insecure ones first`() throws {
    let now = Now()
    let jar = CookieJar(limits: .init(perDomain: 4), now: { now.date })
    let page = try url("https://example.com/")
    try jar.receive("other=1", from: url("https://example.net/"))
    try jar.receive("secure=1; Secure", from: page)
    try jar.receive("used=1; Path=/used", from: page)
    try jar.receive("short=1; Max-Age=5", from: page)
    try jar.receive("open=1", from: page)
    now.advance(by: 5)
    let names = { jar.cookies.map(\.name) }
    try jar.receive("a=1", from: page)
    #expect(names() == ["other", "secure", "used", "open", "a"])
    #expect(jar.cookies(for: try url("https://example.com/used")).count == 4)
    _ = jar.header(for: try url("https://example.com/used/"))
    try jar.receive("used=2; Path=/used", from: page)
    try jar.receive("b=1", from: page)
    // That which was looked at, but not sent, is the least used.
    #expect(names() == ["other", "secure", "used", "a", "b"])
    for name in ["s1", "s2", "s3", "s4"] { try jar.receive("\(name)=1; Secure", from: page) }
    #expect(names() == ["other", "s1", "s2", "s3", "s4"])
  }

  @Test func `all hosts of a site share one limit and cannot evict other sites`() throws {
    let jar = CookieJar(limits: .init(perDomain: 3, total: 8))
    try jar.receive("victim=1", from: url("https://shop.example/"))
    try jar.receive("neighbour=1", from: url("https://a.github.io/"))
    for index in 0..<20 {
      try jar.receive("n\(index)=1", from: url("https://h\(index).evil.co.uk/"))
      try jar.receive("m\(index)=1; Domain=evil.co.uk", from: url("https://h\(index).evil.co.uk/"))
      // A dot at the end makes no other site of it, and the suffix of its neighbours no common one.
      try jar.receive("d\(index)=1", from: url("https://h\(index).evil.co.uk./"))
      try jar.receive("u\(index)=1", from: url("https://b.github.io/"))
    }
    let names = jar.cookies.map(\.name)
    #expect(names.count == 8 && names.contains("victim") && names.contains("neighbour"))
    #expect(jar.cookies.count { $0.domain.contains("evil") } == 3)
    #expect(jar.cookies.count { $0.domain == "b.github.io" } == 3)
    // Removed cookies do not count.
    jar.remove { $0.domain.contains("evil") }
    for index in 0..<3 { try jar.receive("new\(index)=1", from: url("https://h\(index).evil.co.uk/")) }
    #expect(jar.cookies.count == 8)
  }

  @Test func `addresses, public suffixes and single-label names are separate sites`() throws {
    let jar = CookieJar(limits: .init(perDomain: 1))
    let hosts = ["10.0.0.1", "10.0.0.2", "[::1]", "[::2]", "localhost", "intranet", "github.io", "co.uk"]
    for host in hosts { try jar.receive("a=1", from: url("https://\(host)/")) }
    #expect(jar.cookies.count == hosts.count)
  }

  @Test(arguments: [0, -1, Int.min])
  func `limits of zero or less store no cookies`(limit: Int) throws {
    for limits in [
      CookieJar.Limits(perDomain: limit), .init(total: limit), .init(perDomain: limit, total: limit),
      .init(perDomain: 1, total: limit),
    ] {
      let jar = CookieJar(limits: limits)
      try jar.receive("a=1; Secure", from: url("https://example.com/"))
      try jar.receive("b=1", from: url("https://example.com/"))
      #expect(jar.cookies.isEmpty)
      #expect(jar.header(for: try url("https://example.com/")) == nil)
    }
  }

  @Test func `neither inserted nor loaded cookies are kept longer than 400 days`() throws {
    let now = Now()
    let latest = now.date.addingTimeInterval(400 * 86_400)
    let far = Cookie("a", "1", domain: "example.com", expires: .distantFuture)
    let jar = CookieJar(now: { now.date })
    try jar.insert(far)
    #expect(jar.cookies.first?.expires == latest)
    let line = "example.com\tFALSE\t/\tFALSE\t99999999999\ta\t1\n"
    for (data, form) in [(Data(line.utf8), CookieFile.netscape), (try farther().data(as: .json), .json)] {
      let read = CookieJar(now: { now.date })
      #expect(try read.read(data, as: form).addedCount == 1)
      #expect(read.cookies.first?.expires == latest)
    }
  }

  /// A jar of a later time, whose cookie ends later than 400 days from now.
  private func farther() throws -> CookieJar {
    let later = Now()
    later.advance(by: 500 * 86_400)
    let jar = CookieJar(now: { later.date })
    try jar.insert(Cookie("a", "1", domain: "example.com", expires: .distantFuture))
    return jar
  }

  @Test func `a full jar evicts the least recently used cookie of any domain`() throws {
    let jar = CookieJar(limits: .init(perDomain: 2, total: 3))
    for host in ["a", "b", "c"] { try jar.receive("\(host)=1; Secure", from: url("https://\(host).com/")) }
    _ = jar.header(for: try url("https://a.com/"))
    try jar.receive("d=1", from: url("https://d.com/"))
    #expect(jar.cookies.map(\.name) == ["a", "c", "d"])
    try jar.receive("d=2", from: url("https://d.com/"))
    #expect(jar.cookies.count == 3)
  }

  @Test func `the default limits are 180 cookies per domain and 3000 in total`() throws {
    let jar = CookieJar()
    for index in 0..<200 { try jar.receive("n\(index)=1", from: url("http://example.com/")) }
    #expect(jar.cookies.count == 180 && jar.cookies.first?.name == "n20")
    #expect(CookieJar.Limits() == CookieJar.Limits(perDomain: 180, total: 3000))
  }

  @Test func `cookies can be removed singly, by attributes, at the session's end and all at once`() throws {
    let jar = CookieJar()
    let page = try url("http://example.com/")
    for field in ["a=1", "b=1; Max-Age=60", "c=1", "d=1; Max-Age=60"] { try jar.receive(field, from: page) }
    jar.remove(Cookie("c", "another value", domain: "example.com"))
    jar.remove(Cookie("b", "1", domain: "example.com", path: "/elsewhere"))
    #expect(jar.header(for: page) == "a=1; b=1; d=1")
    // The jar can be used meanwhile.
    jar.remove { cookie in jar.cookies.count == 3 && cookie.name == "d" }
    #expect(jar.header(for: page) == "a=1; b=1")
    jar.endSession()
    #expect(jar.header(for: page) == "b=1")
    jar.removeAll()
    #expect(jar.cookies.isEmpty && jar.header(for: page) == nil)
  }

  @Test func `a URL without a host neither sets nor gets cookies`() throws {
    let jar = CookieJar()
    for text in ["file:///a", "/a", "mailto:a@example.com", "data:,x"] {
      #expect(throws: CookieError.self) { try jar.receive("a=1", from: url(text)) }
      #expect(jar.header(for: try url(text)) == nil)
    }
  }

  @Test(arguments: ["n" + String(repeating: "\u{301}", count: 100_000), String(repeating: "n", count: 100_000)])
  func `an error quotes at most 64 bytes of a cookie's name`(name: String) throws {
    let rejected = #expect(throws: CookieError.self) { try CookieJar().receive("\(name)=1", from: url("http://example.com/")) }
    #expect(try #require(rejected).name.utf8.count <= 66)
  }

  @Test func `concurrent set, get and remove lose no cookie`() async throws {
    let jar = CookieJar(limits: .init(perDomain: 12, total: 100))
    try await withThrowingTaskGroup { group in
      for task in 0..<16 {
        group.addTask {
          let page = try #require(URL(string: "https://h.example\(task % 4).com/"))
          let common = try #require(URL(string: "https://h\(task).example.org/"))
          for index in 0..<60 {
            try jar.receive("n\(index % 15)-\(task)=\(index)", from: page)
            // The only cookie of its site: nothing takes its place.
            try jar.receive("shared=\(index); Domain=example.org", from: common)
            #expect(jar.header(for: common)?.hasPrefix("shared=") == true)
            if index % 10 == 0 { jar.remove { $0.name == "n0-\(task)" } }
            if index % 50 == 0 { _ = try jar.data(as: .json) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(jar.cookies.count == 4 * 12 + 1)
    #expect(Set(jar.cookies.map { "\($0.domain) \($0.name)" }).count == jar.cookies.count)
  }
}
