import FaradayCore
import Testing

@Suite struct URLPartsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let before: [String]
    let query: String?
    let fragment: String?
    var testDescription: String { text.debugDescription }

    /// - Parameter before: start, user, host and path.
    init(_ text: String, _ before: [String], _ query: String? = nil, _ fragment: String? = nil) {
      (self.text, self.before, self.query, self.fragment) = (text, before, query, fragment)
    }
  }

  private static let rows = [
    Row("", ["", "", "", ""]),
    Row("http://u:p@h:80/p/q?r#s", ["http://", "u:p@", "h:80", "/p/q"], "r", "s"),
    Row("http://h", ["http://", "", "h", ""]),
    Row("http://h?", ["http://", "", "h", ""], ""),
    Row("http://h#", ["http://", "", "h", ""], nil, ""),
    Row("http:///p", ["http://", "", "", "/p"]),
    Row("http:////u@h", ["http://", "", "", "//u@h"]),
    Row("http://[::1]:80/", ["http://", "", "[::1]:80", "/"]),
    Row("http://a@b@h/@c", ["http://", "a@b@", "h", "/@c"]),
    Row("http://@/", ["http://", "@", "", "/"]),
    // An at-sign, a slash or a colon after the authority is not part of it.
    Row("http://h?a@b/c:d", ["http://", "", "h", ""], "a@b/c:d"),
    Row("http://h#a@b?c", ["http://", "", "h", ""], nil, "a@b?c"),
    Row("http://h/?a?b#c#d", ["http://", "", "h", "/"], "a?b", "c#d"),
    Row("//u@h/p", ["//", "u@", "h", "/p"]),
    Row("/p//u@h", ["", "", "", "/p//u@h"]),
    Row("p//u@h", ["", "", "", "p//u@h"]),
    Row("/a:b", ["", "", "", "/a:b"]),
    Row("?a://b", ["", "", "", ""], "a://b"),
    Row("#a://b", ["", "", "", ""], nil, "a://b"),
    Row("mailto:a@b", ["mailto:", "", "", "a@b"]),
    Row("http:p", ["http:", "", "", "p"]),
    Row("a:b://h/", ["a:", "", "", "b://h/"]),
    Row("://h", ["", "", "", "://h"]),
    // Signs with an accent behind them.
    Row("http://u@\u{301}h/\u{301}?\u{301}#\u{301}", ["http://", "u@", "\u{301}h", "/\u{301}"], "\u{301}", "\u{301}"),
    Row("http:/\u{301}/h", ["http:", "", "", "/\u{301}/h"]),
  ]

  @Test(arguments: rows)
  func `a URL is split into parts and joined again`(row: Row) {
    let parts = URLParts(row.text)
    let before = [parts.start, parts.user, parts.host, parts.path]
    #expect(before.map { Array($0.utf8) } == row.before.map { Array($0.utf8) }, "\(before)")
    #expect(parts.query.map { String($0) } == row.query && parts.fragment.map { String($0) } == row.fragment)
    #expect(Array(parts.description.utf8) == Array(row.text.utf8))
    #expect(parts.hasAuthority == row.before[0].hasSuffix("//"))
    #expect(parts.place == row.before.joined())
  }

  @Test func `a part can be replaced or removed`() {
    var parts = URLParts("xhttp://u@h/p?q#f".dropFirst())
    parts.user = "v:w@"
    parts.path = "/r"
    parts.query = nil
    #expect(parts.description == "http://v:w@h/r#f")
  }
}
