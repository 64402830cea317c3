@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Programs decide by the host that a URL has, and engines convert international names by rules of their own: an engine gets none to
/// convert.
@Suite struct HostSpellingTests {
  private func target(_ text: String) throws -> String {
    let url = try #require(URL(string: text), "\(text)")
    return try Capabilities.all.checked(Request(url: url), of: "the adapter").target.text
  }

  @Test(arguments: [
    // Dots beyond ASCII, full-width letters, ignored characters, ligatures, and digits in circles.
    "bank%E3%80%82example", "bank%EF%BC%8Eexample", "bank%EF%BD%A1example", "%EF%BD%82%EF%BD%81nk.example", "ba%C2%ADnk.example",
    "ba%E2%80%8Dnk.example", "ba%E2%80%8Cnk.example", "ba%E2%80%8Bnk.example", "ba%EF%B8%8Fnk.example", "%EF%AC%81nk.example",
    "%E2%91%A0%E2%91%A1.0.0.1", "a%E2%84%80b.example", "user%EF%BC%A0bank.example", "bank%EF%BC%8Fexample",
    "%F0%9D%94%9Fank.example",
    // Not in the composed form (NFC), not assigned, for private use, a space, a control, not UTF-8.
    "bu%CC%88cher.example", "%CD%B8.example", "%EE%80%80.example", "a%C2%A0b.example", "a%C2%85b.example", "b%FCcher.example",
    "b%C3.example", "%C3%BC%EF%BF%BD.example", ".%C3%BC.example", "a..%C3%BC", "a!%C3%BC.example",
  ])
  func `a host with an ambiguous or invalid ASCII form is refused`(host: String) throws {
    let error = #expect(throws: TransportError.self, "\(host)") { try target("http://\(host):81/x") }
    #expect(error?.code == .invalidURL && error?.phase == .building)
  }

  @Test(arguments: [
    ("http://b%C3%BCcher.example:81/x?%C3%BC", "http://xn--bcher-kva.example:81/x?%C3%BC"),
    ("HTTP://u:p%40@B%C3%9CCHER.Example.", "HTTP://u:p%40@xn--bcher-kva.example."),
    ("https://fa%C3%9F.example/", "https://xn--fa-hia.example/"), ("https://%CF%83%CF%82.example/", "https://xn--3xab.example/"),
    ("https://%E6%97%A5%E6%9C%AC.example/", "https://xn--wgv71a.example/"), ("https://%E2%98%83.net/", "https://xn--n3h.net/"),
    ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"), ("http://A.Example/", "http://A.Example/"),
    ("http://[fe80::1%25lo]/", "http://[fe80::1%25lo]/"),
  ])
  func `an international host is passed on in ASCII`(url: String, text: String) throws {
    #expect(try target(url) == text)
  }

  @Test(arguments: [
    "http://user@example.com:80@host/", "http://a@b@host/", "http://user:p@ss@host/", "http://@@host/", "http://a@b%40c@host?x",
    "//a@b@host/",
  ])
  func `a URL with an unescaped @ in its userinfo is refused, because its host is ambiguous`(text: String) throws {
    let connection = try Connection("http://h/", adapter: MockAdapter())
    let ways = [
      { try Request(text) }, { try connection.request(.get, text) },
      { try Connection(text, adapter: MockAdapter()).request(.get) },
    ]
    for way in ways {
      let error = #expect(throws: TransportError.self) { try way() }
      #expect(error?.code == .invalidURL && error?.phase == .building)
    }
  }

  @Test(arguments: ["http://u:p%40w@host/", "http://host/@me", "http://host?a@b", "http://u@host/a@b", "http://host#a@b@c"])
  func `an @ elsewhere in a URL is accepted`(text: String) throws {
    #expect(try target(text) == text)
    #expect(try Request(text).url.absoluteString == text)
  }

  @Test func `an international host and its ASCII form are one origin`() throws {
    let written = try #require(URL(string: "https://B%C3%BCcher.example/"))
    #expect(try Origin(written) == Origin(#require(URL(string: "https://xn--bcher-kva.example:443/x"))))
    #expect(try Origin(written) != Origin(#require(URL(string: "https://bucher.example/"))))
  }

  @Test func `a label that is too long is refused at once`() throws {
    let long = (0..<20_000).compactMap { Unicode.Scalar(0x4E00 + $0) }.map { String($0) }.joined()
    #expect(HostName.ascii(long + ".example") == nil)
    #expect(HostName.ascii(String(repeating: "ü", count: 57)) != nil)
  }
}
