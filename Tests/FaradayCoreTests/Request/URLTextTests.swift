import FaradayCore
import FoundationEssentials
import Testing

@Suite struct URLTextTests {
  @Test(arguments: [
    ("http://h/a[%20b", "http://h/a%5B%20b"), ("http://h/p?x[]=%20&y={}", "http://h/p?x%5B%5D=%20&y=%7B%7D"),
    ("http://h/\u{E9}%20", "http://h/%C3%A9%20"), ("http://h/a b%2F", "http://h/a%20b%2F"),
    ("http://h/%zz%4", "http://h/%25zz%254"),
    ("http://h/p#a#b[", "http://h/p#a%23b%5B"), ("http://h?q=\u{301}", "http://h?q=%CC%81"),
    ("http://[::1]:80/[", "http://[::1]:80/%5B"),
    ("http://h", "http://h"), ("/p?a[]=1", "/p?a%5B%5D=1"), ("//h/[", "//h/%5B"), ("p//q[", "p//q%5B"), ("", ""),
    ("mailto:a b", "mailto:a%20b"), ("a b:c", "a%20b:c"), ("p?q=//h[", "p?q=//h%5B"), ("a:b://h/[", "a:b://h/%5B"),
    ("http://u[@h/#\u{301}#", "http://u[@h/#%CC%81%23"), ("http://h/%", "http://h/%25"), ("%4", "%254"),
    ("abcxyzABCXYZ059-._~!$&'()*+,;=:@/?", "abcxyzABCXYZ059-._~!$&'()*+,;=:@/?"),
    ("http://h/\"<>\\^`|", "http://h/%22%3C%3E%5C%5E%60%7C"),
  ])
  func `invalid URL characters are percent-encoded once`(text: String, encoded: String) throws {
    #expect(URL.encoded(text) == encoded)
    #expect(URL.encoded(encoded) == encoded)
  }

  @Test func `the caller's path is not encoded twice`() throws {
    struct NoAdapter: Adapter {
      let capabilities: Capabilities = []
      func send(_ request: Request) async throws -> Response { throw CancellationError() }
    }
    for joining in [URLJoining.resolve, .append] {
      let connection = try Connection("http://h/v2/", joining: joining, adapter: NoAdapter())
      #expect(try connection.request(.get, "x?a[]=1&b=%20").url.absoluteString == "http://h/v2/x?a%5B%5D=1&b=%20")
    }
    #expect(try Request("http://h/[%20").url.absoluteString == "http://h/%5B%20")
  }

  @Test func `an international name is encoded as the server expects`() throws {
    #expect(try Request("http://b\u{FC}cher.example/%20").url.host() != nil)
  }
}
