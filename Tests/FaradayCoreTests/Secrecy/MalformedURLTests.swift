import FaradayCore
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// A URL that somebody has misspelled is in an error, and its password is not.
@Suite struct MalformedURLTests {
  @Test(arguments: [
    ("admin:hunter2@host/x", "host/x"), ("http:/user:hunter2@host", "http://host"), ("http:user:hunter2@host", "host"),
    ("http://user:hunter2/x@h", "http://h"), ("http://user:hunter2?x@h", "http://h"), ("http://user:hunter2#x@h", "http://h"),
    ("//user:hunter2@h/x", "//h/x"), ("///user:hunter2@h", "h"), ("http:///user:hunter2@h", "http://h"),
    (#"http:\\user:hunter2@h"#, "http://h"), (#"http:/\user:hunter2@h/x"#, "http://h/x"), (#"\\user:hunter2@h"#, "h"),
    (#"http://user:hunter2\x@h"#, "http://h"), (#"http://user\:hunter2@h"#, "http://h"),
    ("http://user:hunter2%40h/", "http://h/"), ("http://user:hunter2\u{FF20}h/", "http://h/"),
    ("http://user:p@hunter2/x@h", "http://h"), ("http://user:/hunter2@h", "http://h"), ("http://user:hunter2@", "http://"),
    (" http://user:hunter2@h", "http://h"), ("http://us er:hunter2@h/", "http://h/"), ("ht\ntp://user:hunter2@h", "h"),
    ("http://user:99999hunter2", "http://user:[secret]"), ("http://host:99999/", "http://host:99999/"),
    ("http://host:65536", "http://host:65536"), ("http://user:123456", "http://user:[secret]"),
    ("http://user:99999/hunter2@h", "http://h"), ("http://user:99999%40h", "http://h"), ("jdbc:http://user:hunter2@h/", "h/"),
    ("mailto:hunter2@h", "h"),
    ("user:hunter2@h?token=hunter2", "h"), ("/user:hunter2@h", "h"),
    ("http://h/a/http://user:hunter2@g/x", "http://h/a/http://g/x"), ("http://h/a:b/@me", "http://h/[secret]@me"),
  ])
  func `a misspelled URL is shown without its password`(text: String, shown: String) throws {
    #expect(Secrets().redacting(urlText: text).prefix { $0 != "?" } == shown)
    if let url = URL(string: text) {
      #expect(!TransportError(.invalidURL, building: Request(url: url), "").description.contains("hunter2"))
    }
    try expectHidden(text)
  }

  /// Asks everything that takes a URL as text.
  private func expectHidden(_ text: String) throws {
    let ways: [() throws -> Any] = [
      { try Request(text) }, { try Connection(text, adapter: MockAdapter()) },
      { try Connection("http://host/", adapter: MockAdapter()).request(.get, text) },
      { try Connection("http://host/", joining: .append, adapter: MockAdapter()).request(.get, text) },
      { try Connection(adapter: MockAdapter()).request(.get, text) },
    ]
    for way in ways {
      let shown: String
      do { shown = Shown.all(try way()) } catch { shown = Shown.all(error) }
      #expect(!shown.contains("hunter2"), "\(text.debugDescription): \(shown)")
    }
  }

  @Test func `no arrangement of URL parts shows the password`() throws {
    var random = SeededGenerator(seed: 12)
    let starts = [
      "", "http://", "https://", "HTTP://", "http:/", "http:", "http:///", "//", "///", #"http:\\"#, #"http:/\"#, #"\\"#,
      " http://",
      "\thttp://", "ht tp://", "1http://", "ftp://", "jdbc:http://", "h\u{301}ttp://", "socks5h://",
    ]
    let hosts = ["h", "h.example", "h:80", "h:x", "[::1]", "[::1", "127.0.0.1:8080", "b\u{FC}cher", "", "h h"]
    let ends = ["", "/", "/x", "/x?y=1", "?y", "#z", "/a b", #"\x"#, "/x?y=1#z", "/%zz", "/\u{301}", "\n"]
    let signs = [
      "", "", "", "/", "?", "#", "@", ":", "\\", "%", "%2F", "%40", "[", "]", " ", "\u{301}", "\u{E9}", "&", "=", "'", "\"", ";",
    ]
    for _ in 0..<20_000 {
      // In pieces, so that half of a password is one too. It does not begin as a port does.
      let sign = ["@", "@", "@", "%40", "\u{FF20}"].randomElement(using: &random) ?? "@"
      let pieces = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        "hunter2" + (signs.filter { $0 != "@" || sign == "@" }.randomElement(using: &random) ?? "")
      }
      let user = ["user", "", "us er", "a.b", "u\u{301}"].randomElement(using: &random) ?? ""
      let parts = [starts, [user + ":"], [pieces.joined() + sign], hosts, ends].map { $0.randomElement(using: &random) ?? "" }
      let text = parts.joined()
      let shown = Secrets().redacting(urlText: text)
      #expect(!shown.contains("hunter2"), "\(text.debugDescription) is shown as \(shown)")
      guard let url = URL(string: text) else { continue }
      // A space inside a URL cannot be distinguished from one after it.
      let isWord = !text.utf8.contains { $0 <= 0x20 || "'\"".utf8.contains($0) }
      let error = TransportError(.invalidURL, building: Request(url: url), isWord ? "cannot send to '\(text)'" : "")
      #expect(!error.description.contains("hunter2"), "\(text.debugDescription): \(error)")
    }
  }

  @Test func `the description of a URL and a message have a maximum length`() throws {
    let long = String(repeating: "\u{E9}", count: 100_000)
    let error = try #require(throws: TransportError.self) { try Request("http://[/" + long) }
    #expect(error.url.utf8.count <= 1024 + 3 && error.url.hasSuffix("\u{E9}…"))
    var other = TransportError(.engineFailed, building: try Request("http://host/" + long), long)
    #expect(other.description.utf8.count < 2200)
    other.message = long
    #expect(other.message.utf8.count <= 1024 + 3)
    let method = try #require(HTTPRequest.Method(String(repeating: "M", count: 5000)))
    let request = Request(method, url: try #require(URL(string: "http://host/" + String(repeating: "x", count: 5000))))
    #expect("\(request)".utf8.count < 2200)
    #expect(StatusError(Response(status: .ok, url: request.url), to: request).url.utf8.count <= 1024 + 3)
  }

  @Test func `a message that quotes a URL shows no password`() throws {
    var error = TransportError(.proxyFailed, building: try Request("http://host/"), "")
    error.message = "Unsupported proxy syntax in 'http://user:hunter2@host:x': <socks5://u:hunter2@h> a@b"
    #expect(error.message == "Unsupported proxy syntax in 'http://host:x': <socks5://h> b")
  }

  @Test func `nested URLs are redacted on a small stack, and deep ones are left out`() async throws {
    let nested = "http://a/http://u:hunter2@b/c"
    #expect(Secrets().redacting(urlText: nested) == "http://a/http://b/c")
    let many = "http://h/" + String(repeating: "x://h/", count: 200_000) + "u:hunter2@h"
    let shown = try await onSmallStack { Secrets().redacting(urlText: many) }
    #expect(shown.hasPrefix("http://h/x://h/") && shown.utf8.count < 100 && !shown.contains("hunter2"))
  }
}
