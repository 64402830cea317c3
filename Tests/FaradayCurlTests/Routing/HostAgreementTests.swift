import CCurl
@_spi(Adapters) import FaradayCore
import FaradayCurl
import Foundation
import Testing

/// A program decides by the host that Foundation reads in a URL, and libcurl connects to the one that it reads: they must be the same,
/// or the request must be refused.
@Suite struct HostAgreementTests {
  private static let hosts = [
    "a.example", "A.Example", "a.example.", "a.example:80", "a.example:", "a.example:00080", "127.0.0.1", "127.1", "0x7f.1",
    "0177.0.0.1",
    "2130706433", "[::1]", "[::1]:80", "[::ffff:127.0.0.1]", "[::1%25eth0]", "[::1%eth0]", "%61.example", "%31%32%37.0.0.1",
    "a%2eexample", "a%00b.example",
    "a%2fb.example", "a%40b.example", "a%23b.example", "user@a.example", "user:pw@a.example", "a.example@b.example",
    "a.example:80@b.example", "a@b@c.example",
    "a.example:80:90", "a.example#@b.example", "a.example?@b.example", "a.example/@b.example", #"a.example\@b.example"#,
    #"a.example\.b.example"#, "a.example%5c@b.example",
    "a.example;b.example", "a.example,b.example", "a.example&b.example", "a_b.example", "a!b.example", "(a).example",
    "a+b.example", "a=b.example",
    "a.example\t.b.example", "a.example .b", "a.example\r\n.b", "é.example", "ｅxample.com", "①②⑦.0.0.1", "a。example",
    "faß.example", "xn--fa-hia.example", "[a.example]",
    "[::1]a.example", "a[::1].example", "::1", "::1:80", "a.example:http", "a.example:-1", "a.example:+80", "a.example:80#", "0",
    "256.256.256.256", "1.2.3.4.5",
    "1.2.3.4.", "0x7f000001.", "*", "*.example", "-", ".", "..", "a..example", ".a.example", "@a.example", ":@a.example",
    "%@a.example", "%zz@a.example", "a%zz.example", "%", "a.example%",
    "a.example%20.b", "%E3%80%82a", "bank%E3%80%82example", "ba%C2%ADnk.example", "b%C3%BCcher.example", "localhost",
    "LOCALHOST.", "\u{200b}a.example", "a\u{00ad}b.example", "a.example\u{0000}.b",
  ]

  private static let forms = [
    "http://HOST/x", "http:///HOST/", "http:HOST/", "http:/HOST/", "http:////HOST/", "HTTP://HOST", "http://HOST?q",
    "http://HOST#f", #"http:\\HOST/"#, "https://HOST//x@y/",
  ]

  @Test(arguments: forms) func `every accepted URL has exactly one host`(form: String) throws {
    for host in Self.hosts {
      let text = form.replacingOccurrences(of: "HOST", with: host)
      guard let url = URL(string: text),
        let target = (try? Capabilities.all.checked(Request(.get, url: url), of: "libcurl"))?.target
      else { continue }
      // Hosts that libcurl does not understand are refused.
      guard let connected = Self.libcurlHost(target.text) else { continue }
      let seen = try #require(
        url.host(percentEncoded: false), "\(text) has no host for Foundation, and \(connected) for libcurl")
      // libcurl would convert others by rules of its own.
      #expect(connected.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
      #expect(Self.canonical(HostName.ascii(seen) ?? seen) == Self.canonical(connected), "\(text)")
    }
  }

  @Test func `a percent-encoded host is refused, and an international one is accepted`() throws {
    for text in ["http://%61.example/", "http://a%2eexample/", "http://%31%32%37.0.0.1/", "http://a.example%/"] {
      guard let url = URL(string: text) else { continue }
      #expect(throws: TransportError.self, "\(text)") { try Capabilities.all.check(Request(.get, url: url)) }
    }
    for text in ["http://%C3%A9.example/", "http://[fe80::1%25lo]/"] {
      try Capabilities.all.check(Request(.get, url: try #require(URL(string: text))))
    }
  }

  /// The host as libcurl reads it, decoded; nil if it refuses the URL.
  private static func libcurlHost(_ text: String) -> String? {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    // As for a transfer: without a guessed scheme and without lenient parsing.
    guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
    var part: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, CURLUPART_HOST, &part, 0) == CURLUE_OK, let part else { return nil }
    defer { curl_free(part) }
    return String(cString: part)
  }

  /// In lower case; numbers as the address that every resolver takes them for.
  private static func canonical(_ host: String) -> String {
    var host = host.lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    // Newer libcurl removes it itself.
    if host.hasSuffix("."), host.first?.isNumber == true { host.removeLast() }
    if host.contains(":") { return String(host.prefix { $0 != "%" }) }
    var address = in_addr()
    guard inet_aton(host, &address) != 0 else { return host }
    return "\(address.s_addr)"
  }
}
