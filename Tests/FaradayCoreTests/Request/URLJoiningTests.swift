import FaradayCore
import FoundationEssentials
import Testing

@Suite struct URLJoiningTests {
  @Test(arguments: [
    ("https://h/v2/", "users", "https://h/v2/users"),
    ("https://h/v2", "users", "https://h/users"),
    ("https://h/v2/", "/users", "https://h/users"),
    ("https://h/v2/", "", "https://h/v2/"),
    ("https://h/v2/", "../x?y#z", "https://h/x?y#z"),
    ("https://h/v2/a", "?q=1", "https://h/v2/a?q=1"),
    ("https://h/v2/", "//other/x", "https://other/x"),
    ("https://h/v2/", "http://other/x", "http://other/x"),
  ])
  func `resolving follows RFC 3986`(base: String, path: String, joined: String) throws {
    #expect(URLJoining.resolve.join(path, to: try #require(URL(string: base)))?.absoluteString == joined)
  }

  @Test(arguments: [
    ("https://h/v2", "users", "https://h/v2/users"),
    ("https://h/v2/", "/users", "https://h/v2/users"),
    ("https://h", "users", "https://h/users"),
    ("https://h/v2", "", "https://h/v2"),
    ("https://h/v2?key=1", "users?page=2", "https://h/v2/users?key=1&page=2"),
    ("https://h/v2?key=1", "?page=2", "https://h/v2?key=1&page=2"),
    ("https://h/v2?key=1", "users#top", "https://h/v2/users?key=1#top"),
    ("https://h/v2", "a//b/", "https://h/v2/a//b/"),
    ("https://u:p@h/v2/#f", "x", "https://u:p@h/v2/x"),
    ("https://h/v2", "/http://other/x?y", "https://h/v2/http://other/x?y"),
    ("https://h/v2", "projects:search", "https://h/v2/projects:search"),
    ("https://h/v2", "at/10:30", "https://h/v2/at/10:30"),
    ("https://h/v2", "//u@other/x", "https://h/v2//u@other/x"),
  ])
  func `appending keeps the base path and both queries`(base: String, path: String, joined: String) throws {
    #expect(URLJoining.append.join(path, to: try #require(URL(string: base)))?.absoluteString == joined)
  }

  @Test func `a path with a colon in its first segment resolves after a dot segment`() throws {
    let base = try #require(URL(string: "https://h/v2/"))
    #expect(URLJoining.resolve.join("./projects:search", to: base)?.absoluteString == "https://h/v2/projects:search")
    #expect(URLJoining.resolve.join("at/10:30", to: base)?.absoluteString == "https://h/v2/at/10:30")
    #expect(URLJoining.resolve.join("?at=10:30", to: base)?.absoluteString == "https://h/v2/?at=10:30")
  }

  @Test(arguments: ["https://other/x", "HTTP://other/x", "ftp://other/x", "http:/x://y"])
  func `appending refuses an absolute URL`(path: String) throws {
    #expect(URLJoining.append.join(path, to: try #require(URL(string: "https://h/v1"))) == nil)
  }
}
