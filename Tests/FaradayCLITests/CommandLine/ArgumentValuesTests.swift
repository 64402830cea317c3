import Faraday
import FaradayTesting
import Testing

@testable import FaradayCLI

/// Values of options that have a form of their own.
@Suite struct ArgumentValuesTests {
  @Test func `a --resolve argument has a host, a port and addresses`() throws {
    #expect(
      try NetworkArguments.hostOverride("h:80:127.0.0.1,[::1]") == HostOverride("h", port: 80, addresses: ["127.0.0.1", "::1"]))
    #expect(try NetworkArguments.hostOverride("+[::2]:443:::1").host == "::2")
    for text in ["foo", "h:80", "h:x:127.0.0.1", "h:80:", ":80:1.2.3.4", "h:80:nonsense", "h:80:127.0.0.1,x"] {
      #expect(throws: CommandFailure(49, "Couldn't parse CURLOPT_RESOLVE entry '\(text)'")) {
        try NetworkArguments.hostOverride(text)
      }
    }
  }

  @Test func `a --connect-to argument can omit each part`() throws {
    #expect(try NetworkArguments.connectTo("a:1:b:2") == ConnectTo(host: "a", port: 1, toHost: "b", toPort: 2))
    #expect(try NetworkArguments.connectTo("::b:") == ConnectTo(toHost: "b"))
    #expect(try NetworkArguments.connectTo("a::[::1]:8") == ConnectTo(host: "a", toHost: "::1", toPort: 8))
    #expect(try NetworkArguments.connectTo("a:1:b") == ConnectTo(host: "a", port: 1, toHost: "b"))
    #expect(try NetworkArguments.connectTo("a:1:[::1]") == ConnectTo(host: "a", port: 1, toHost: "::1"))
    #expect(throws: CommandFailure.self) { try NetworkArguments.connectTo("a:x:b:2") }
  }

  @Test(arguments: [
    "Sun, 12 Sep 2004 15:05:58 GMT", "Sunday, 12-Sep-04 15:05:58 GMT", "Sun Sep 12 15:05:58 2004", "12 Sep 2004 15:05:58",
    "2004-09-12 15:05:58", "20040912 15:05:58", "Sep 12 2004 15:05:58", "2004-09-12T15:05:58Z",
    "12 Sep 2004 17:05:58 +0200", "Sun, 12 Sep 2004 08:05:58 -0700", "12 Sep 2004 15:05:58 +00:00",
  ])
  func `dates have many formats`(_ text: String) {
    #expect(DateArgument.seconds(text) == 1_095_001_558)
  }

  @Test(arguments: [
    "", "nonsense", "12", "99 Sep 2004", "2004-13-01", "12 Sep 2004 25:00", "1 jan 9223372036854775807",
    "12 Sep 2004 17:05:58 +2500", "12 Sep 2004 08:05:58 -0760", "12 Sep 2004 08:05:58 PDT",
    "12 Sep 2004 08:05:58 +0100 +0100", "1 Sep 2004 12:00" + String(repeating: "-00:00", count: 20_000),
  ])
  func `invalid dates parse to nil`(_ text: String) {
    #expect(DateArgument.seconds(text) == nil)
    #expect(TimeCondition(text) == nil)
  }

  @Test func `a later --resolve removes an earlier one`() throws {
    let texts = ["a:80:127.0.0.1", "+b:80:[::1],127.0.0.1", "-A:80", "-c:80"]
    let operation = try Fetch.reading(texts.flatMap { ["--resolve", $0] }, readsDefault: false).operation
    #expect(operation.network.hostOverrides.map(\.host) == ["b"])
  }

  @Test func `an empty -H is ignored`() throws {
    #expect(try HeaderArgument.all(["", "a: b"]) == [HeaderArgument(name: "a", value: "b")])
    #expect(throws: (any Error).self) { try HeaderArgument.all(["a"]) }
  }

  @Test func `a time condition has a sign, and a file supplies its time`() throws {
    #expect(TimeCondition("20040912")?.field.value == "Sun, 12 Sep 2004 00:00:00 GMT")
    #expect(TimeCondition("-20040912")?.field.name == "If-Unmodified-Since")
    let path = try TemporaryFolder().write("", to: "x")
    #expect(TimeCondition(path) == nil, "the folder is gone")
    #expect(TimeCondition("/")?.field.name == "If-Modified-Since")
  }

  @Test(arguments: [
    ("c", "http://h/a/c"), ("/c", "http://h/c"), ("?q", "http://h/a/b?q"), ("../../c", "http://h/c"), ("//o/c", "http://o/c"),
    ("https://o", "https://o"), ("c d?e f", "http://h/a/c%20d?e%20f"), ("\u{E9}", "http://h/a/%C3%A9"),
    ("#f", "http://h/a/b?x#f"),
    ("HTTP://o/c", "http://o/c"), ("http:/o/c", nil), ("http:///o/c", nil), ("http:o", nil), ("ftp://o/c", nil),
  ])
  func `a Location is resolved by the URL standard`(_ location: String, _ url: String?) async throws {
    let adapter = MockAdapter()
    adapter.stub(times: 1) { Response(status: .found, headers: [.location: location], url: $0.url) }
    adapter.stub { Response(status: .ok, url: $0.url) }
    let session = try Session(try Fetch.reading(["-L", "http://h/a/b?x"], readsDefault: false).operation)
    let stack = Stack(session.middleware(for: try Target("http://h/a/b?x")), adapter: adapter)
    let response = try? await stack.send(Request(.get, "http://h/a/b?x"))
    #expect(response?.url.absoluteString == url)
  }

  @Test func `characters that are invalid in URLs are sent unchanged`() throws {
    #expect(try Target("h/a|b?{c}").rawTarget == "/a|b?{c}")
    #expect(try Target("h/a?b").rawTarget == nil)
    #expect(try Target("h/{a}").adding(query: Data("x=|".utf8)).rawTarget == "/{a}?x=|")
  }

  @Test(arguments: [
    ("*", "any", true), ("h", "h", true), ("H.", "h", true), (".h", "h", true), ("h", "a.h", true), ("h", "ah", false),
    ("a.h", "h", false), ("x, h\ty", "y", true), ("", "h", false), (",", "h", false), (".", "h", false), ("*.h", "a.h", false),
    ("h:80", "h", false), ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("10.1.2.3", "10.1.2.3", true),
    ("2.3", "10.1.2.3", false), ("10.0.0.0/x", "10.1.2.3", false), ("::1", "::1", true), ("fd00::/8", "fd12::1", true),
    ("fd00::/8", "fe12::1", false), ("bücher.example", "xn--bcher-kva.example", true),
  ])
  func `hosts without a proxy are matched as in libcurl`(_ list: String, _ host: String, _ isMatched: Bool) {
    #expect(NoProxy(list).contains(host) == isMatched)
  }

  @Test func `proxies have a scheme, a user and exceptions`() throws {
    func proxy(_ arguments: String...) throws -> ProxySelection {
      let operation = try Fetch.reading(arguments + ["h"], readsDefault: false).operation
      return try operation.proxy.selection(scheme: "http", host: "h", over: operation.transport)
    }
    #expect(try proxy("--transport", "urlsession") == .automatic)
    #expect(try proxy("-x", "") == .direct)
    #expect(try proxy("-x", "p:1", "--noproxy", "*") == .direct)
    guard case .proxy(let socks) = try proxy("--socks5-hostname", "p", "-U", "a:b", "--noproxy", "x, y") else {
      Issue.record("no proxy")
      return
    }
    #expect(socks.scheme == .socks5h && socks.user == "a" && socks.password == "b" && socks.exceptions.isEmpty)
    #expect(try proxy("-x", "p:1", "--noproxy", "x, h") == .direct)
    #expect(throws: CommandFailure.self) { try proxy("-x", "foo://p") }
  }
}
