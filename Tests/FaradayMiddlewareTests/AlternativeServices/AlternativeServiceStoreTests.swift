import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

/// Learned alternative services, their lifetime, and the file.
@Suite struct AltSvcStoreTests {
  private let now = Now()

  private func store(limit: Int = 1000) -> AlternativeServiceStore { AlternativeServiceStore(limit: limit) { [now] in now.date } }

  private func url(_ text: String = "https://example.com/") throws -> URL { try #require(URL(string: text)) }

  private func shown(_ store: AlternativeServiceStore, _ text: String = "https://example.com/") throws -> [String] {
    store.alternatives(for: try url(text)).map { "\($0.protocolID) \($0.host) \($0.port)" }
  }

  // MARK: the field

  @Test(arguments: [
    "", ",", "h2", "h2=", "h2=:443", "h2=\"", "h2=\":443", "=\":443\"", "h2=\":443\" x", "h2=\":443\"; ma", "h2=\":443\"; ma=",
    "h2=\":443\"; =1", "h2=\":443\"; ma=\"1", "h2 =\":443\"", "h2=\":443\" h3=\":443\"", "Clear", "clear, h2=\":443\"",
    "h2=\":443\";", "h2=\":443\"; ma = 1",
  ])
  func `a malformed Alt-Svc field is ignored entirely`(field: String) throws {
    let store = store()
    store.receive("h3=\":1\"", from: try url())
    #expect(!store.receive(field, from: try url()))
    #expect(try shown(store) == ["h3 example.com 1"])
  }

  @Test(arguments: [
    ("h2=\":443\"", ["h2 example.com 443"]), ("h3=\"Alt.Example.com:8443\"", ["h3 alt.example.com 8443"]),
    (
      "h3=\":443\", h2=\"a.example:1\" , ,http%2F1.1=\":65535\"",
      ["h3 example.com 443", "h2 a.example 1", "http/1.1 example.com 65535"]
    ),
    ("h2=\"[::1]:443\"", ["h2 ::1 443"]), ("w%3Dx%3Ay#z=\":1\"", ["w=x:y#z example.com 1"]),
    ("h2=\"\\a.example:443\"; MA=\"60\"; persist=1; x=y", ["h2 a.example 443"]),
    (
      "h2=\":0\", h2=\":65536\", h2=\":\", h2=\"host\", h2=\":4 4\", h2=\"a b:1\", h2=\"::1:1\", h2=\"[x]:1\", h%2=\":1\", h%00=\":1\", h3=\":5\"",
      ["h3 example.com 5"]
    ),
    ("h2=\":443\"; ma=0", []), ("h2=\":443\"; ma=1; ma=0", ["h2 example.com 443"]),
  ])
  func `alternatives keep their order, and unusable ones are left out`(field: String, expected: [String])
    throws
  {
    let store = store()
    #expect(store.receive(field, from: try url()))
    #expect(try shown(store) == expected)
  }

  @Test func `a new field replaces the old one, and clear removes it`() throws {
    let store = store()
    store.receive("h2=\":1\", h3=\":2\"", from: try url())
    store.receive("h3=\":3\"", from: try url())
    #expect(try shown(store) == ["h3 example.com 3"])
    #expect(try shown(store, "https://example.com:444/").isEmpty && shown(store, "http://example.com/").isEmpty)
    #expect(try shown(store, "https://EXAMPLE.com.:443/") == ["h3 example.com 3"])
    store.receive(" clear ", from: try url())
    #expect(try shown(store).isEmpty)
  }

  @Test func `http responses store no alternatives`() throws {
    let store = store()
    #expect(!store.receive("h2=\":1\"", from: try url("http://example.com/")))
    #expect(try shown(store, "http://example.com/").isEmpty && shown(store).isEmpty)
  }

  @Test func `the default lifetime is a day, and ages count from the response's date`() throws {
    let store = store()
    store.receive("h2=\":1\", h3=\":2\"; ma=60, h4=\":3\"; ma=99999999999999999999", from: try url(), age: 20)
    now.advance(by: 39)
    #expect(try shown(store).count == 3)
    now.advance(by: 1)
    #expect(try shown(store) == ["h2 example.com 1", "h4 example.com 3"])
    now.advance(by: 86_400 - 60)
    #expect(try shown(store) == ["h4 example.com 3"])
    store.receive("h2=\":1\"; ma=10", from: try url(), age: .max)
    #expect(try shown(store).isEmpty)
  }

  @Test func `persistent alternatives survive a network change`() throws {
    let store = store()
    store.receive("h2=\":1\", h3=\":2\"; persist=1, h4=\":3\"; persist=2", from: try url())
    store.networkChanged()
    #expect(try shown(store) == ["h3 example.com 2"])
  }

  @Test func `the store is bounded in origins and alternatives`() throws {
    let store = store(limit: 2)
    for host in ["a", "b", "a", "c"] { store.receive("h2=\":1\"", from: try url("https://\(host).example/")) }
    #expect(store.known.map(\.place.host) == ["a.example", "c.example"])
    store.receive((1...40).map { "h2=\":\($0)\"" }.joined(separator: ","), from: try url())
    #expect(store.alternatives(for: try url()).count == 16)
  }

  // MARK: the file

  @Test func `a missing file is an error with its name`() throws {
    let missing = #expect(throws: StoreError.self) { try store().read(from: "/nonexistent/alt-svc") }
    #expect(missing?.description == "file /nonexistent/alt-svc: No such file or directory")
    #expect(throws: StoreError.self) { try store().write(to: "/nonexistent/alt-svc") }
  }

  @Test func `malformed lines are skipped and counted`() throws {
    let lines = [
      "# a comment", "h2 example.com 443 h3 shiny.example.com 8443 \"20291231 23:30:00\" 0 1", "rubbish",
      "bad example.com 443 h3 shiny.example.com 8443 \"20291231 00:00:00\" 0 1",
      "h2 example.com 0 h3 shiny.example.com 8443 \"20291231 00:00:00\" 0 1",
      "h2 example.com 443 h3 shiny.example.com 84430 \"20291231 00:00:00\" 0 1",
      "h2 example.com 443 h3 shiny.example.com 8443 \"20291331 00:00:00\" 0 1",
      "h2 example.com 443 h3 shiny.example.com 8443 20291231 00:00:00 0 1",
      "h2 example.com 443 h3 shiny.example.com 8443 \"20291231 00:00:00\" 2 1",
      "h2 example.com 443 h3 shiny.example.com 8443 \"20291231 00:00:00\" 0 -1",
      "\th1 example.com 443 h1 [::1] 80 \"20291231 00:00:00\" 1 0",
      "h1 example.com 443 h2 old.example 80 \"20121231 00:00:01\" 0 1",
    ]
    let store = store()
    let result = store.read(Data(lines.joined(separator: "\n").utf8))
    #expect(result.rejected == Array(3...10) && result.addedCount == 2 && result.expiredCount == 1)
    #expect(try shown(store) == ["h3 shiny.example.com 8443", "http/1.1 ::1 80"])
    #expect(store.alternatives(for: try url()).map(\.persists) == [false, true])
  }

  @Test func `the file has curl's format, can be read back and is private to its owner`() throws {
    let store = store()
    store.receive("h2=\":8080\"; persist=1, http%2F1.1=\"[::1]:1\"", from: try url(), version: .http2)
    #expect(
      store.fileText.hasSuffix(
        "\nh2 example.com 443 h2 example.com 8080 \"20260102 00:00:00\" 1 0\n"
          + "h2 example.com 443 h1 [::1] 1 \"20260102 00:00:00\" 0 0\n"))
    let file = try TemporaryFile(Data())
    try store.write(to: file.path)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode.map { $0 & 0o777 } == 0o600)
    let copy = self.store()
    let result = try copy.read(from: file.path)
    #expect(result.rejected.isEmpty && result.addedCount == 2)
    #expect(try copy.alternatives(for: url()) == store.alternatives(for: url()) && copy.fileText == store.fileText)
  }

  @Test func `stored values cannot add lines to the file`() throws {
    let store = store()
    store.set(
      [
        .init(protocolID: "h2\n", host: "a", port: 1, expires: .distantFuture),
        .init(protocolID: "h2", host: "a b", port: 1, expires: .distantFuture),
        .init(protocolID: "h2", host: "a", port: 0, expires: .distantFuture),
        .init(protocolID: "h2", host: "a", port: 1, expires: .distantFuture),
      ], for: try url())
    #expect(try shown(store) == ["h2 a 1"])
  }
}
