import FaradayCore
import FoundationEssentials
import Testing

@Suite struct QueryTests {
  private static let read: [(String, QueryParameters)] = [
    ("a=1&b=2", ["a": "1", "b": "2"]), ("a", ["a": nil]), ("a=", ["a": ""]), ("", [:]), ("&&a=1&", ["a": "1"]),
    ("a=1&a=2", ["a": "1", "a": "2"]), ("=v", ["": "v"]), ("a=b=c", ["a": "b=c"]), ("a+b=c+d", ["a+b": "c+d"]),
    ("%61=%2B%26%3D", ["a": "+&="]), ("a=%C3%A9", ["a": "é"]), ("a=%", ["a": "%"]), ("a=%zz", ["a": "%zz"]),
    ("a=\u{301}1&\u{301}b=2", ["a": "\u{301}1", "\u{301}b": "2"]), ("%C3%A9\u{301}=%", ["é\u{301}": "%"]),
    ("a=%+1", ["a": "%+1"]), ("a=%4", ["a": "%4"]), ("a=%FF", ["a": "\u{FFFD}"]),
  ]

  @Test(arguments: read)
  func `a query is parsed`(text: String, query: QueryParameters) {
    #expect(QueryParameters(parsing: text) == query)
  }

  @Test func `a plus in a form is a space`() {
    #expect(QueryParameters(parsing: "a+b=c%2Bd", plusIsSpace: true) == ["a b": "c+d"])
    #expect(QueryParameters(parsing: "a=+\u{301}", plusIsSpace: true) == ["a": " \u{301}"])
  }

  private static let written: [(QueryParameters, String)] = [
    (["a": "1", "b": nil], "a=1&b"), (["a b": "c+d&e=f"], "a%20b=c%2Bd%26e%3Df"), (["a[]": "[1]"], "a[]=%5B1%5D"),
    (["t": ["x", "y z"], "n": [1, 2]], "t=x&t=y%20z&n=1&n=2"), (["none": [String]()], ""),
    (["deep": [["a"], ["b", "c"]]], "deep=a&deep=b&deep=c"),
    (["é": "\u{1F600}"], "%C3%A9=%F0%9F%98%80"), (["a": ""], "a="), (["#?": "/"], "%23%3F=%2F"),
  ]

  @Test(arguments: written)
  func `a query survives writing and parsing`(query: QueryParameters, text: String) {
    #expect(query.description == text)
    #expect(QueryParameters(parsing: text) == query)
  }

  @Test func `a name with brackets leaves the URL's values unchanged`() throws {
    var request = try Request("http://host/a?old=1#f")
    request.query = ["a[]": "x y", "b[c]": "100%"]
    #expect(request.url.absoluteString == "http://host/a?a%5B%5D=x%20y&b%5Bc%5D=100%25#f")
    #expect(request.query == ["a[]": "x y", "b[c]": "100%"])
  }

  @Test func `RQ-43: a literal keeps empty values and repeated names in order`() {
    let query: QueryParameters = ["k": "v", "k2": nil, "k": "w"]
    #expect(query.items == [.init("k", "v"), .init("k2", nil), .init("k", "w")])
  }

  @Test func `setting by name replaces the first value in place, or appends`() {
    var query: QueryParameters = ["a": "1", "b": "2", "a": "3"]
    query["a"] = "4"
    #expect(query.description == "a=4&b=2")
    query.set(name: "a", values: ["5", nil])
    #expect(query.description == "b=2&a=5&a")
    #expect(query.values("a") == ["5", nil] && query["b"] == "2" && query["c"] == nil)
    query["b"] = nil
    query["c"] = "6"
    #expect(query.description == "a=5&a&c=6")
  }

  @Test func `the query of a request is the query of its URL`() throws {
    var request = try Request("http://h/p?old=1#part")
    request.query = ["a": "b c"]
    #expect(request.url.absoluteString == "http://h/p?a=b%20c#part")
    request.query = [:]
    #expect(request.url.absoluteString == "http://h/p#part")
    request.query.append(name: "x", value: nil)
    #expect(request.url.absoluteString == "http://h/p?x#part" && request.query == ["x": nil])
  }

  @Test(arguments: [
    ("q=a+b&sig=%2Fx%E9", "q=a+b&sig=%2Fx%E9&page=2"), ("page=1&q=a+b&sig=%2fx%E9", "page=2&q=a+b&sig=%2fx%E9"),
    ("a=1&page&b=%41&page=3", "a=1&page=2&b=%41"), ("&&a=+&&b&", "&&a=+&&b&&page=2"), ("a==&&page=1&&b=%", "a==&&page=2&b=%25"),
    ("a=~.-_!$'()*,;:@/?&%61=1", "a=~.-_!$'()*,;:@/?&%61=1&page=2"), ("", "page=2"), ("&", "page=2"),
  ])
  func `setting an item keeps the other items byte by byte`(before: String, after: String) throws {
    var request = try Request("http://h/p?\(before)#f")
    request.query["page"] = "2"
    #expect(request.url.absoluteString == "http://h/p?\(after)#f")
  }

  @Test(arguments: ["q=a+b&sig=%2Fx%E9", "&&a=+&&b&", "%41=%C3%A9&%41=%c3%a9", "a%5B%5D=1", "=", "==", "a", "a=&b"])
  func `writing back an unchanged query changes nothing`(text: String) throws {
    var request = try Request("http://h/?\(text)")
    request.query = request.query
    #expect(request.url.absoluteString == "http://h/?\(text)")
    request.query.items.reverse()
    request.query.items.reverse()
    #expect(request.url.query(percentEncoded: true)?.split(separator: "&") == text.split(separator: "&"))
  }

  @Test func `a changed item is encoded again, and a removed item leaves nothing`() throws {
    var request = try Request("http://h/?q=a+b&%41=%2F&c=%2f")
    request.query.items[1].value = "/+"
    #expect(request.url.absoluteString == "http://h/?q=a+b&A=%2F%2B&c=%2f")
    request.query.items[0].name = "p"
    request.query["A"] = nil
    #expect(request.url.absoluteString == "http://h/?p=a%2Bb&c=%2f")
    #expect(request.query == ["p": "a+b", "c": "/"])
  }

  @Test func `a standalone query has one encoding`() throws {
    let request = try Request("http://h/?q=a+b&c=%2f")
    #expect("\(request.query)" == "q=a%2Bb&c=%2F")
    #expect("\(QueryParameters(parsing: "a=1#2&b=%41"))" == "a=1%232&b=A")
  }

  @Test func `the path of a request is the path of its URL`() throws {
    var request = try Request("http://h?a=1#part")
    request.path = "path/to"
    #expect(request.url.absoluteString == "http://h/path/to?a=1#part")
    request.pathComponents = ["a b", "c/d", "é"]
    #expect(request.path == "/a%20b/c%2Fd/%C3%A9")
    #expect(request.pathComponents == ["a b", "c/d", "é"])
    request.path = ""
    #expect(request.url.absoluteString == "http://h/?a=1#part")
  }

  @Test func `a component of dots is a dot segment, and its escape is a name`() throws {
    var request = try Request("http://h/old")
    request.pathComponents = ["a", "..", ".", "b"]
    #expect(request.url.absoluteString == "http://h/a/.././b")
    #expect(request.pathComponents == ["a", "..", ".", "b"])
    request.pathComponents = ["%2e%2E", "...", "../x"]
    #expect(request.url.absoluteString == "http://h/%252e%252E/.../..%2Fx")
  }

  @Test func `a path with two leading slashes keeps the host`() throws {
    var request = try Request("http://u@h?q#f")
    request.path = "//other/x"
    #expect(request.url.absoluteString == "http://u@h//other/x?q#f" && request.url.host() == "h")
  }
}
