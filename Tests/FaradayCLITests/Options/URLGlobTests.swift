import Testing

@testable import FaradayCLI

@Suite struct URLGlobTests {
  @Test(arguments: [
    ("h/{a,b}", ["h/a", "h/b"]), ("h/[1-3]", ["h/1", "h/2", "h/3"]), ("[08-10]", ["08", "09", "10"]),
    ("[001-5:2]", ["001", "003", "005"]), ("[a-e:2]", ["a", "c", "e"]), ("[A-B]", ["A", "B"]), ("[5-5]", ["5"]),
    ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]), ("{,a}", ["", "a"]), ("{a}", ["a"]), ("", [""]),
    ("h/[1-10:4]", ["h/1", "h/5", "h/9"]),
    (#"\{a\}\[1\]"#, ["{a}[1]"]), (#"{a\,b,c}"#, ["a,b", "c"]), (#"a\b"#, [#"a\b"#]),
    ("http://[::1]:80/{x,y}", ["http://[::1]:80/x", "http://[::1]:80/y"]), ("[fe80::1%25eth0]/", ["[fe80::1%25eth0]/"]),
    ("a[]", ["a[]"]), ("[1- 2]", ["1", "2"]),
  ])
  func `a URL pattern is expanded as in curl`(_ text: String, _ urls: [String]) throws {
    let glob = try URLGlob(text)
    #expect(glob.expansions.map(\.url) == urls)
    #expect(glob.count == UInt(urls.count))
  }

  @Test(arguments: [
    ("h/[3-1]", "bad range in URL position 8:"), ("h/{a", "unmatched brace in URL position 3:"),
    ("a}", "unmatched close brace/bracket in URL position 2:"), ("a]", "unmatched close brace/bracket in URL position 2:"),
    ("{a{b}}", "nested brace in URL position 3:"), ("{}", "empty string within braces in URL position 2:"),
    ("{a]", "unexpected close bracket in URL position 3:"), ("[-1]", "bad range specification in URL position 2:"),
    ("[1-2:0]", "bad range in URL position 8:"), ("[1-2:9]", "bad range in URL position 8:"),
    ("[a-]", "bad range in URL position 2:"),
    ("[a-z:99]", "bad range in URL position 9:"), ("[A-z]", "bad range in URL position 6:"),
    ("[", "bad range specification in URL position 2:"),
    ("[1-99999999999999999999]", "bad range in URL position 4:"), ("[1", "bad range in URL position 3:"),
  ])
  func `an invalid pattern is an error with its position`(_ text: String, _ message: String) {
    #expect { try URLGlob(text) } throws: { error in
      let failure = error as? CommandFailure
      return failure?.status == 3 && failure?.message == message && failure?.below.first == text
    }
  }

  @Test func `an error's position is marked below the URL, unless the URL has a password`() throws {
    let failure = #expect(throws: CommandFailure.self) { try URLGlob("h/}") }
    #expect(failure?.line == "faraday: (3) unmatched close brace/bracket in URL position 3:\nh/}\n  ^")
    let secret = #expect(throws: CommandFailure.self) { try URLGlob("http://joe:pw@h/}") }
    #expect(secret?.line.contains("pw") == false)
  }

  @Test func `a billion URLs need no memory, and too many to count are an error`() throws {
    let glob = try URLGlob("[0-999999999]{a,b}")
    #expect(glob.count == 2_000_000_000)
    #expect(glob.expansion(at: 1_999_999_999) == .init(url: "999999999b", values: ["999999999", "b"]))
    #expect(glob.expansions.prefix(2).map(\.url) == ["0a", "0b"])
    let nines = "[0-999999999]"
    #expect(throws: CommandFailure.self) { try URLGlob(nines + nines + nines) }
    #expect(throws: CommandFailure.self) { try URLGlob(String(repeating: "{a}", count: 100)) }
  }

  @Test(arguments: [
    ("out_#1_#2", "out_a_07"), ("#3#0##1", "#3#0#a"), ("#", "#"), ("#12", "#12"), ("none", "none"),
    ("#99999999999999999999", "#99999999999999999999"),
  ])
  func `numbers in a file name refer to patterns`(_ name: String, _ filled: String) throws {
    #expect(try URLGlob("{a,b}[07-09]").expansion(at: 0).filling(name) == filled)
  }

  @Test func `with --globoff brackets are literal`() throws {
    #expect(try URLGlob("h/[1-3]{a}", isLiteral: true).expansions.map(\.url) == ["h/[1-3]{a}"])
  }
}
