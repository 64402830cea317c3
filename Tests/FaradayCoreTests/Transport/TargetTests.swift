@_spi(Adapters) import FaradayCore
import Testing

@Suite struct TargetTests {
  @Test(
    arguments: [
      "http://127.0.0.1/", "https://127.0.0.1?x", "http://10.0.0.1:8080/x", "http://u:p@10.0.0.1:1/", "http://[::1]/",
      "http://[::1]:8080/", "http://[fe80::1%25lo]/",
    ])
  func `an address needs no DNS lookup`(url: String) throws {
    #expect(try Target(Request(url)).hasAddress)
  }

  @Test(
    arguments: ["http://h/", "http://1.2.3.4.example/", "http://1a:80", "http://127.0.0.1@h/", "http://b%C3%BCcher.example/"])
  func `a name needs a DNS lookup`(url: String) throws {
    #expect(try !Target(Request(url)).hasAddress)
  }

  @Test(
    arguments: ["http://h%6Fst/", "http://host%7E/", "http://b%C3%BCcher%2eexample/", "http://h%00/"])
  func `a percent-encoded ASCII character in the host is rejected`(url: String) throws {
    let request = try Request(url)
    #expect { try Target(request) } throws: { ($0 as? TransportError)?.code == .invalidURL }
  }

  @Test func `a percent-encoded character of another script is accepted`() throws {
    #expect(try Target(Request("http://b%C3%BCcher.example:80/")).origin == "http://xn--bcher-kva.example:80")
  }

  @Test(
    arguments: [
      ("http://h", "/"), ("http://h?", "/?"), ("http://h?a#f", "/?a"), ("http://h#f", "/"),
      ("http://h/a%7e/../b?c&#", "/a%7e/../b?c&"),
      ("http://u:p@h:80//x", "//x"), ("http://[::1]:8080/x?", "/x?"), ("http://b%C3%BCcher.example/%C3%BC", "/%C3%BC"),
    ])
  func `the origin-form is the path and query, unchanged`(url: String, form: String) throws {
    #expect(try Target(Request(url)).originForm == form)
  }

  @Test(arguments: ["http://h/", "https://h:443?x", "http://127.0.0.1:8080/", "https://[::1]/x", "http://h"])
  func `a URL in its normal form begins with its origin`(url: String) throws {
    let target = try Target(Request(url))
    #expect(target.hasPlainOrigin)
    #expect(target.text.hasPrefix(target.origin))
  }

  // libcurl 7.88 loses the zone when it copies a parsed URL.
  @Test(arguments: ["http://[fe80::1%25lo]/", "http://u@h/", "http://H/", "HTTP://h/", "http://b%C3%BCcher.example/"])
  func `a zone, a user, capital letters and an international name are not plain`(url: String) throws {
    #expect(try !Target(Request(url)).hasPlainOrigin)
  }
}
