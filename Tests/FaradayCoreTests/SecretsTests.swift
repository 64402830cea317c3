import FaradayCore
import FoundationEssentials
import Testing

@Suite struct SecretsTests {
  @Test(arguments: [
    ("http://user:password@host/path?token=a&b=c#token=d", "http://host/path?token=[secret]&b=c"),
    ("http://host?TOKEN=a&%74oken=b&token&x=token", "http://host?TOKEN=[secret]&%74oken=[secret]&token&x=token"),
    ("http://host/@a:b", "http://host/@a:b"), ("http://host?", "http://host?"), ("path?key=1", "path?key=[secret]"),
    ("//u@h/", "//h/"), ("http://a@b@h/", "http://h/"),
    ("jdbc:http://u:p@h/x@y?key=1#f", "jdbc:http://h/x@y?key=[secret]"), ("mailto:a@b", "mailto:a@b"), ("p//u:p@h", "p//h"),
    ("http://h//u@g", "http://h//u@g"),
  ])
  func `a URL loses its user and its secrets`(url: String, shown: String) throws {
    #expect(Secrets().redacting(try #require(URL(string: url))) == shown)
  }

  @Test func `names can be declared, whatever their case`() throws {
    var secrets = Secrets()
    secrets.queryItems.insert("Session")
    secrets.headers.insert(try #require(HTTPField.Name("X-Api-Key")))
    #expect(secrets.redacting(query: "session=1&a=2") == "session=[secret]&a=2")
    #expect(secrets.redacting(query: "user[password]=1&token[]=2&users=3") == "user[password]=[secret]&token[]=[secret]&users=3")
    for value in ["abc", "Key\tabc", ""] { #expect("\(Credentials(value))" == "[secret]") }
    #expect(secrets.redacting(try HTTPField(checking: "x-api-key", "1")) == "[secret]")
    #expect(secrets.redacting(try HTTPField(checking: "X-Other", "1")) == "1")
  }

  @Test func `a sign is one whatever stands behind it`() {
    #expect(Secrets().redacting(query: "a=1&\u{301}b=2&token=\u{301}x&\u{301}") == "a=1&\u{301}b=2&token=[secret]&\u{301}")
  }

  @Test func `a connection's registry goes with its requests`() throws {
    var connection = Connection(adapter: Unused())
    connection.secrets.queryItems = ["own"]
    let request = try connection.request(.get, "http://host/")
    #expect(request.options.secrets.queryItems == ["own"])
    #expect(request.options.secrets.headers.contains(.authorization))
  }

  private struct Unused: Adapter {
    let capabilities: Capabilities = []
    func send(_ request: Request) async throws -> Response { throw CancellationError() }
  }
}
