import Foundation
import Testing

@testable import FaradayCLI

@Suite struct TargetTests {
  @Test(arguments: [
    "", "http://", "http://a b/", "http://h/a b", "http://h/\u{7F}", "http://h/\r\nX: y", "http://h:99999/",
    "http://:80/", "http://h:x/",
  ])
  func `an invalid URL is curl's error 3`(_ text: String) {
    #expect { try Target(text) } throws: { ($0 as? CommandFailure)?.status == 3 }
  }

  @Test func `the message about an invalid URL hides its password`() {
    #expect { try Target("http://joe:secret@:80/") } throws: { !"\($0)".contains("secret") }
  }

  @Test(arguments: [
    ("h", "http://h/"), ("h:8080/x", "http://h:8080/x"), ("https://h", "https://h/"), ("[::1]:80/x", "http://[::1]:80/x"),
    ("http:///h/x", "http://h/x"), ("http:/h/x", "http://h/x"), ("http://h/a/./b/../c", "http://h/a/c"),
    ("ftp.h", "http://ftp.h/"),
    ("http://h?q", "http://h/?q"), ("ftp://h/x", "ftp://h/x"), ("http://h/%2F", "http://h/%2F"),
  ])
  func `a URL is completed and otherwise unchanged`(_ text: String, _ url: String) throws {
    #expect(try Target(text).url.absoluteString == url)
  }

  @Test(arguments: ["h", "h/", "h/a/", "h/a/?x=/b", "h/.."])
  func `a URL without a last component has no remote name`(_ text: String) throws {
    #expect(try Target(text).remoteName == nil)
  }

  @Test func `the remote name is the last path component without the query`() throws {
    #expect(try Target("h/a/b.txt?c=/d").remoteName == "b.txt")
  }
}
