import Faraday
import Testing

@testable import FaradayCLI

/// Values of options that have a form of their own.
@Suite struct ArgumentValuesTests {
  @Test func `an override has a host, a port and addresses`() throws {
    #expect(
      try NetworkArguments.hostOverride("h:80:127.0.0.1,[::1]") == HostOverride("h", port: 80, addresses: ["127.0.0.1", "::1"]))
    #expect(try NetworkArguments.hostOverride("+[::2]:443:::1").host == "::2")
    for text in ["foo", "h:80", "h:x:127.0.0.1", "h:80:", ":80:1.2.3.4", "h:80:nonsense", "h:80:127.0.0.1,x"] {
      #expect(throws: CommandFailure(49, "Couldn't parse CURLOPT_RESOLVE entry '\(text)'")) {
        try NetworkArguments.hostOverride(text)
      }
    }
  }

  @Test func `another host to connect to may lack each part`() throws {
    #expect(try NetworkArguments.connectTo("a:1:b:2") == ConnectTo(host: "a", port: 1, toHost: "b", toPort: 2))
    #expect(try NetworkArguments.connectTo("::b:") == ConnectTo(toHost: "b"))
    #expect(try NetworkArguments.connectTo("a::[::1]:8") == ConnectTo(host: "a", toHost: "::1", toPort: 8))
    #expect(try NetworkArguments.connectTo("a:1:b") == ConnectTo(host: "a", port: 1, toHost: "b"))
    #expect(try NetworkArguments.connectTo("a:1:[::1]") == ConnectTo(host: "a", port: 1, toHost: "::1"))
    #expect(throws: CommandFailure.self) { try NetworkArguments.connectTo("a:x:b:2") }
  }

  @Test(arguments: [
    "Sun, 12 Sep 2004 15:05:58 GMT", "Sunday, 12-Sep-04 15:05:58 GMT", "Sun Sep 12 15:05:58 2004", "12 Sep 2004 15:05:58",
    "2004-09-12 15:05:58", "20040912 15:05:58", "Sep 12 2004 15:05:58", "12 Sep 2004 17:05:58 +0200", "12 Sep 2004 08:05:58 PDT",
  ])
  func `dates have many forms`(_ text: String) {
    #expect(DateArgument.seconds(text) == 1_095_001_558)
  }

  @Test(arguments: ["", "nonsense", "12", "99 Sep 2004", "2004-13-01", "12 Sep 2004 25:00", "1 jan 9223372036854775807"])
  func `what is no date is none`(_ text: String) {
    #expect(DateArgument.seconds(text) == nil)
    #expect(TimeCondition(text) == nil)
  }

  @Test func `a later --resolve takes an earlier one away`() throws {
    var arguments = NetworkArguments()
    arguments.resolve = ["a:80:127.0.0.1", "+b:80:[::1],127.0.0.1", "-A:80", "-c:80"]
    #expect(try arguments.network().hostOverrides.map(\.host) == ["b"])
  }

  @Test func `an empty -H is none`() throws {
    #expect(try HeaderArgument.all(["", "a: b"]) == [.field(name: "a", value: "b")])
    #expect(throws: (any Error).self) { try HeaderArgument.all(["a"]) }
  }

  @Test func `a time condition has a sign, and a file has a time`() throws {
    #expect(TimeCondition("20040912")?.field.value == "Sun, 12 Sep 2004 00:00:00 GMT")
    #expect(TimeCondition("-20040912")?.field.name == "If-Unmodified-Since")
    let path = try TemporaryFolder().write("", to: "x")
    #expect(TimeCondition(path) == nil, "the folder is gone")
    #expect(TimeCondition("/")?.field.name == "If-Modified-Since")
  }

  @Test(arguments: [
    ("c", "http://h/a/c"), ("/c", "http://h/c"), ("?q", "http://h/a/b?q"), ("../../c", "http://h/c"), ("//o/c", "http://o/c"),
    ("https://o", "https://o/"), ("c d?e f", "http://h/a/c%20d?e+f"), ("\u{E9}", "http://h/a/%c3%a9"), ("#f", "http://h/a/b?x#f"),
  ])
  func `a Location is resolved as libcurl does`(_ location: String, _ url: String) throws {
    let target = try Target("http://h/a/b?x").following(location: Array(location.utf8), keepsDots: false)
    #expect(target.url.absoluteString == url)
  }

  @Test func `characters that no URL has are sent as they were given`() throws {
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
  func `hosts without a proxy are matched as libcurl matches them`(_ list: String, _ host: String, _ isMatched: Bool) {
    #expect(NoProxy(list).contains(host) == isMatched)
  }

  @Test func `proxies have a scheme, a user and exceptions`() throws {
    func proxy(_ arguments: String...) throws -> ProxySelection {
      try Fetch.reading(arguments + ["h"], readsDefault: false).operation.proxySelection(for: try Target("http://h/"))
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
