import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

/// Learned policies, their lifetime, and the file.
@Suite struct HSTSStoreTests {
  private let now = Now()

  private func store(limit: Int = 1000) -> HSTSStore { HSTSStore(limit: limit) { [now] in now.date } }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  // MARK: the field

  @Test(arguments: [
    "", ";", "includeSubDomains", "max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=1 2", "max-age=\"1",
    "max-age=1; max-age=1", "max-age=1; MAX-AGE=2", "max-age=1; includeSubDomains; includesubdomains", "max-age=1; a; a",
    "max-age=1; includeSubDomains=1", "max-age=1, max-age=2", "max-age=1; =", "max-age=1; a=", "max-age=1; a b", "max-age==1",
    "max-age=1; (x)", "max-age=1\u{0};",
  ])
  func `a malformed Strict-Transport-Security field is ignored entirely`(field: String) throws {
    let store = store()
    #expect(!store.receive(field, from: try url("https://example.com/")))
    #expect(store.entries.isEmpty)
  }

  @Test(arguments: [
    ("max-age=31536000", 31_536_000.0, false), ("MAX-AGE=\"10\"", 10, false), (" max-age = 10 ; IncludeSubDomains ", 10, true),
    (";; max-age=10;;includeSubDomains;", 10, true), ("preload; max-age=10; x=\"a;b\\\"\"", 10, false), ("max-age=007", 7, false),
    ("max-age=0", 0, false), ("max-age=99999999999999999999999999", 1e12, false),
  ])
  func `directives can have any order and case, quoted or not`(field: String, age: Double, includes: Bool) throws {
    let parsed = try #require(StrictTransportSecurity(parsing: field))
    #expect(parsed.maximumAge == age && parsed.includesSubdomains == includes)
  }

  @Test(arguments: [
    "http://example.com/", "https://127.0.0.1/", "https://[::1]/", "https://0x7f000001/", "https://1.2.3/", "ftp://example.com/",
  ])
  func `http responses and IP addresses store nothing`(text: String) throws {
    let store = store()
    #expect(!store.receive("max-age=10", from: try url(text)))
    #expect(store.entries.isEmpty && !store.insert("127.0.0.1", includesSubdomains: true, expires: nil))
  }

  // MARK: hosts

  @Test func `a host is known until it expires or sends a max-age of zero`() throws {
    let store = store()
    let host = try url("https://Example.COM./")
    store.receive("max-age=10", from: host)
    #expect(try store.requiresHTTPS(url("http://example.com/")) && store.requiresHTTPS(url("http://EXAMPLE.com.:81/")))
    now.advance(by: 9)
    #expect(store.requiresHTTPS(host))
    now.advance(by: 1)
    #expect(!store.requiresHTTPS(host) && store.entries.isEmpty)
    store.receive("max-age=10", from: host)
    store.receive("max-age=0", from: host)
    #expect(!store.requiresHTTPS(host))
  }

  @Test func `subdomains match only with includeSubDomains, and by whole labels`() throws {
    let store = store()
    store.receive("max-age=10; includeSubDomains", from: try url("https://wide.example/"))
    store.receive("max-age=10", from: try url("https://narrow.example/"))
    store.receive("max-age=10", from: try url("https://own.wide.example/"))
    for (text, isMeant) in [
      ("wide.example", true), ("a.wide.example", true), ("a.b.wide.example", true), ("own.wide.example", true),
      ("a.own.wide.example", true), ("awide.example", false), ("example", false), ("narrow.example", true),
      ("a.narrow.example", false),
    ] {
      #expect(store.requiresHTTPS(try url("http://\(text)/")) == isMeant, "\(text)")
    }
    // The policy of a subdomain does not apply to its parent (RFC 6797, section 8.2).
    store.receive("max-age=0", from: try url("https://own.wide.example/"))
    #expect(store.requiresHTTPS(try url("http://own.wide.example/")))
  }

  @Test(arguments: [
    ("http://example.com", "https://example.com"), ("http://example.com:80/a?b#c", "https://example.com/a?b#c"),
    ("HTTP://u:p@Example.com:8080/%2F", "https://u:p@Example.com:8080/%2F"), ("https://example.com/", nil),
    ("http://other.com/", nil),
    ("http://example.com:443/", "https://example.com:443/"),
  ])
  func `the upgrade changes only scheme and port`(text: String, expected: String?) throws {
    let store = store()
    store.insert("example.com", includesSubdomains: false, expires: nil)
    #expect(store.secureURL(for: try url(text))?.absoluteString == expected)
  }

  @Test func `a full store evicts expired hosts first and then the least recently updated`() throws {
    let store = store(limit: 2)
    store.receive("max-age=1", from: try url("https://a.example/"))
    store.receive("max-age=100", from: try url("https://b.example/"))
    store.receive("max-age=100", from: try url("https://a.example/"))
    store.receive("max-age=100", from: try url("https://c.example/"))
    #expect(store.entries.map(\.host) == ["a.example", "c.example"])
    store.receive("max-age=1", from: try url("https://c.example/"))
    now.advance(by: 2)
    store.receive("max-age=100", from: try url("https://d.example/"))
    #expect(store.entries.map(\.host) == ["a.example", "d.example"])
    let none = HSTSStore(limit: -1)
    #expect(none.receive("max-age=1", from: try url("https://a.example/")) && none.entries.isEmpty)
  }

  @Test func `a host that is updated repeatedly has one entry`() {
    let store = store(limit: 16)
    for index in 10..<26 { store.insert("h\(index).example", includesSubdomains: false, expires: nil) }
    for _ in 0..<100 { store.insert("h10.example", includesSubdomains: false, expires: nil) }
    #expect(store.entries.count == 16)
    for index in 26..<29 { store.insert("h\(index).example", includesSubdomains: false, expires: nil) }
    #expect(store.entries.map(\.host) == ([10] + (14..<29)).map { "h\($0).example" })
  }

  // MARK: the file

  @Test func `a missing or unreadable file is an error with its name`() throws {
    let missing = #expect(throws: StoreError.self) { try store().read(from: "/nonexistent/hsts") }
    #expect(missing?.description == "file /nonexistent/hsts: No such file or directory")
    #expect(throws: StoreError.self) { try store().write(to: "/nonexistent/hsts") }
    #expect(throws: StoreError.self) { try store().read(from: "/dev/zero") }
  }

  @Test func `malformed lines are skipped and counted`() throws {
    let lines = [
      "# Your HSTS cache. https://curl.se/docs/hsts.html", "", "good.example \"20300101 00:00:00\"",
      "  .wide.example \"unlimited\"\r",
      "old.example \"20161001 04:47:41\"", "rubbish", "bad.example 20300101 00:00:00", "bad.example \"20301301 00:00:00\"",
      "127.0.0.1 \"unlimited\"", "b\u{1}d \"unlimited\"", "\"unlimited\"", ". \"unlimited\"", "bad.example \"\"",
      String(repeating: "a", count: 5000) + " \"unlimited\"", "lenient.example \"Tue, 01 Jan 2030 00:00:00 GMT\"",
    ]
    let store = store()
    let result = store.read(Data(lines.joined(separator: "\n").utf8) + [0x0A, 0xFF, 0x0A])
    #expect(result.rejected == Array(6...14) + [16] && result.addedCount == 3 && result.expiredCount == 1)
    #expect(store.entries.map(\.host) == ["good.example", "lenient.example", "wide.example"])
    #expect(store.entries.map(\.includesSubdomains) == [false, false, true] && store.entries[2].expires == nil)
  }

  @Test func `the file has curl's format, can be read back and is private to its owner`() throws {
    let store = store()
    store.receive("max-age=86400", from: try url("https://example.com/"))
    store.receive("max-age=99999999999999; includeSubDomains", from: try url("https://bücher.example/"))
    #expect(
      store.fileText.hasSuffix("\nexample.com \"20260102 00:00:00\"\n.xn--bcher-kva.example \"unlimited\"\n"))
    let file = try TemporaryFile(Data())
    try store.write(to: file.path)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode.map { $0 & 0o777 } == 0o600)
    let copy = self.store()
    let result = try copy.read(from: file.path)
    #expect(result.rejected.isEmpty && result.addedCount == 2)
    #expect(copy.entries == store.entries)
  }

  @Test func `a loaded file never weakens a known policy`() throws {
    let store = store()
    store.insert("a.example", includesSubdomains: true, expires: now.date + 100)
    store.insert("b.example", includesSubdomains: false, expires: nil)
    store.read(Data("a.example \"20260101 00:00:10\"\n.b.example \"20300101 00:00:00\"\n".utf8))
    #expect(store.entries.map(\.includesSubdomains) == [true, true])
    #expect(store.entries.map(\.expires) == [now.date + 100, nil])
  }

  @Test func `the store is thread-safe`() async throws {
    let store = HSTSStore(limit: 8)
    let url = try url("https://a.example/")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          store.insert("h\(number).example", includesSubdomains: true, expires: nil)
          store.receive("max-age=10", from: url)
          _ = store.requiresHTTPS(url)
        }
      }
    }
    #expect(store.entries.count == 8)
  }
}
