import Faraday
import FoundationEssentials
import Testing

/// Parsing of `Set-Cookie` fields (RFC 6265bis, sections 5.6 and 5.7).
@Suite struct CookieParsingTests {
  static let now = Date(timeIntervalSince1970: 1_767_225_600)

  /// The cookie that a jar keeps of one field; nil if it was there and has gone.
  private func kept(_ field: String, from url: String = "https://www.example.com/a/b?c") throws -> Cookie? {
    let jar = CookieJar(now: { Self.now })
    try jar.receive(field, from: #require(URL(string: url)))
    return jar.cookies.first
  }

  @Test(arguments: ["", "=", " ", ";", "; Path=/", " = ; Secure", "\t=\t"])
  func `a field with neither name nor value is rejected`(field: String) {
    #expect(throws: CookieError.self) { try kept(field) }
  }

  @Test(arguments: (0...0x1F).filter { $0 != 9 } + [0x7F])
  func `a control character other than tab rejects the cookie`(code: UInt8) {
    let control = String(UnicodeScalar(code))
    for field in ["a\(control)=1", "a=1\(control)2", "a=1; Path=/\(control)", "a=1; x=\(control)", "a=1;\(control)"] {
      let rejected = #expect(throws: CookieError.self) { try kept(field) }
      #expect(rejected?.description.utf8.contains(code) == false)
    }
  }

  @Test func `an inner tab is kept, and a surrounding one is trimmed`() throws {
    let cookie = try #require(try kept("\ta\tb\t=\tc\td\t;\tPath\t=\t/x\t"))
    #expect(cookie.name == "a\tb" && cookie.value == "c\td" && cookie.path == "/x")
  }

  @Test func `name and value together have at most 4096 bytes`() throws {
    let value = String(repeating: "x", count: 4090)
    #expect(try kept("123456=" + value)?.value == value)
    #expect(throws: CookieError.self) { try kept("1234567=" + value) }
    #expect(throws: CookieError.self) { try kept("12345é=" + value) }
  }

  @Test func `an attribute longer than 1024 bytes is ignored`() throws {
    let long = "/" + String(repeating: "x", count: 1023)
    #expect(try kept("a=1; Path=\(long)")?.path == long)
    #expect(try kept("a=1; Path=\(long)x")?.path == "/a")
    #expect(try kept("a=1; Path=/ok; Path=\(long)x")?.path == "/ok")
    #expect(try kept("a=1; Max-Age=\(String(repeating: "0", count: 1025))")?.expires == nil)
  }

  @Test(arguments: [
    ("a=b", "a", "b"), ("  A  = BC  ;foo;;;   bar", "A", "BC"), ("a=", "a", ""), ("a===b", "a", "==b"),
    ("a=\"b \"  ;", "a", "\"b \""),
    ("a=\"b;c\"", "a", "\"b"), ("a=b, c=d", "a", "b, c=d"), ("a b=c d", "a b", "c d"), ("春=节", "春", "节"), ("a,b=c", "a,b", "c"),
    // Without a name.
    ("abc", "", "abc"), ("=abc", "", "abc"), ("a b; Path=/", "", "a b"), ("\"a\"", "", "\"a\""),
  ])
  func `the first equals sign separates name and value`(
    field: String, name: String, value: String
  ) throws {
    let cookie = try #require(try kept(field))
    #expect(cookie.name == name && cookie.value == value)
  }

  @Test func `a cookie without a name is sent as its value, and rejected if that parses as another cookie`() throws {
    let url = try #require(URL(string: "https://example.com/"))
    let jar = CookieJar()
    try jar.receive("=abc", from: url)
    #expect(jar.header(for: url) == "abc")
    for field in ["=session=stolen", "=__Host-a", "__SECURE-a", "=__http-x"] {
      #expect(throws: CookieError.self) { try jar.receive(field, from: url) }
    }
    #expect(jar.header(for: url) == "abc")
  }

  @Test(arguments: [
    ("Secure", true), ("seCURe", true), ("Secure=", true), ("Secure=no", true), ("Secure =x", true), ("  Secure  ", true),
    ("\"Secure\"", false), ("Secure x", false), ("x=Secure", false), ("Securex", false),
  ])
  func `a flag attribute is set whatever its value is`(attribute: String, isSet: Bool) throws {
    #expect(try kept("a=1; \(attribute)")?.isSecure == isSet)
    #expect(try kept("a=1;\(attribute.replacing(#/(?i)secure/#, with: "HttpOnly")); q")?.isHTTPOnly == isSet)
  }

  @Test(arguments: [
    ("Path=/x", "/x"), ("Path=/x; Path=/y", "/y"), ("path  =  /x/  ", "/x/"), ("Path", "/a"), ("Path=", "/a"), ("Path=x", "/a"),
    ("Path=/x; Path=y", "/a"), ("Path=\"/x\"", "/a"), ("Path=/%2f?q", "/%2f?q"),
  ])
  func `the last Path wins, and a Path without a leading slash means the default path`(attributes: String, path: String) throws {
    #expect(try kept("a=1; \(attributes)")?.path == path)
  }

  @Test(arguments: [
    ("", "/"), ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("/a//b", "/a/"), ("?q=/a/b", "/"),
    ("/a/b?q=/c/d", "/a"), ("/a/b#/c/d", "/a"), ("/%61/b", "/%61"), ("/a%2Fb", "/"), ("/a;x=/b", "/a;x="),
  ])
  func `the default path is the URL's path up to its last slash`(rest: String, path: String) throws {
    #expect(try kept("a=1", from: "http://example.com" + rest)?.path == path)
  }

  @Test(arguments: [
    ("Max-Age=60", 60.0), ("max-age=60; Expires=Thu, 01 Jan 2026 00:02:00 GMT", 60),
    ("Expires=01 Jan 2026 00:02:00; Max-Age=60", 60),
    ("Max-Age=60; Max-Age=90", 90), ("Max-Age=60; Max-Age=x", 60), ("Expires=01 Jan 2026 00:02:00; Max-Age=+60", 120),
    ("Expires=01 Jan 2026 00:02:00; Expires=x", 120), ("Max-Age=007", 7),
  ])
  func `Max-Age takes precedence over Expires, and the last valid one of each wins`(attributes: String, seconds: Double) throws {
    #expect(try kept("a=1; \(attributes)")?.expires == Self.now.addingTimeInterval(seconds))
  }

  @Test(arguments: ["Max-Age=", "Max-Age", "Max-Age=x", "Max-Age=-", "Max-Age=1.5", "Max-Age=1x", "Max-Age=\"60\"", "Max-Age=６０"])
  func `a Max-Age that is not an integer is ignored`(attribute: String) throws {
    #expect(try #require(try kept("a=1; \(attribute)")).expires == nil)
  }

  @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Max-Age=-99999999999999999999", "Max-Age=0; Expires=01 Jan 2027 00:00:00"])
  func `a Max-Age of zero or less expires the cookie`(attribute: String) throws {
    #expect(try kept("a=1; \(attribute)") == nil)
  }

  @Test(arguments: [
    ("SameSite=Strict", Cookie.SameSite.strict), ("samesite=LAX", .lax), ("SameSite=None", .unrestricted), ("SameSite=x", nil),
    ("SameSite", nil), ("SameSite=Lax; SameSite=Strict", .strict), ("SameSite=Lax; SameSite=x", nil),
  ])
  func `SameSite is preserved`(attribute: String, sameSite: Cookie.SameSite?) throws {
    #expect(try #require(try kept("a=1; Secure; \(attribute)")).sameSite == sameSite)
  }

  @Test(arguments: [
    "__Secure-a=1", "__SECURE-a=1", "__Host-a=1; Secure", "__host-a=1; Secure; Path=/x", "__Host-a=1; Path=/",
    "__Host-a=1; Secure; Path=/; Domain=www.example.com", "__Http-a=1; Secure", "__Http-a=1; HttpOnly",
    "__Host-Http-a=1; Secure; Path=/", "__Host-Http-a=1; HttpOnly; Path=/", "__Host-\u{301}=1",
    // A server may read the value of a nameless cookie as its name.
    "__Secure-a; Secure", "=__Secure-a; Secure", "__Host-a; Secure; Path=/",
  ])
  func `a cookie whose name prefix does not match its attributes is rejected in any letter case`(field: String) {
    #expect(throws: CookieError.self) { try kept(field) }
  }

  @Test(arguments: [
    "__Secure-a=1; Secure", "__Host-a=1; Secure; Path=/", "__Http-a=1; Secure; HttpOnly",
    "__Host-Http-a=1; Secure; HttpOnly; Path=/", "__Hosta=1", "Host-a=1",
  ])
  func `a cookie whose name prefix matches its attributes is accepted`(field: String) throws {
    #expect(try kept(field) != nil)
  }

  @Test func `a __Host- cookie needs an explicit or default Path of the root`() throws {
    let root = "https://example.com/"
    for name in ["__Host-a", "__HOST-a", "__Host-Http-a"] {
      #expect(throws: CookieError.self) { try kept("\(name)=1; Secure; HttpOnly", from: root) }
      #expect(try kept("\(name)=1; Secure; HttpOnly; Path=/", from: root)?.path == "/")
      #expect(try kept("\(name)=1; Secure; HttpOnly; Path", from: root)?.path == "/")
    }
    // Ignored attributes are not named.
    let long = "/" + String(repeating: "x", count: 1024)
    #expect(throws: CookieError.self) { try kept("__Host-a=1; Secure; Path=\(long)", from: root) }
  }

  @Test func `a default path can have any length`() throws {
    let path = "/" + String(repeating: "x", count: 3000)
    #expect(try kept("a=1", from: "https://example.com\(path)/page")?.path == path)
    let jar = CookieJar()
    try jar.insert(Cookie("a", "1", domain: "example.com", path: path))
    let copy = CookieJar()
    #expect(try copy.read(jar.data(as: .json), as: .json).rejected.isEmpty && copy.cookies.first?.path == path)
  }

  @Test(arguments: ["SameSite=None", "SameSite=Lax; samesite=NONE", "SameSite=None; HttpOnly"])
  func `SameSite=None requires Secure`(attributes: String) throws {
    #expect(throws: CookieError.self) { try kept("a=1; \(attributes)") }
    #expect(try kept("a=1; \(attributes); Secure")?.sameSite == .unrestricted)
    let jar = CookieJar()
    #expect(throws: CookieError.self) { try jar.insert(Cookie("a", "1", domain: "example.com", sameSite: .unrestricted)) }
  }

  @Test func `descriptions redact cookie values`() throws {
    let cookie = try #require(try kept("name=hidden; Secure; HttpOnly; SameSite=Lax; Domain=example.com; Max-Age=60"))
    var dumped = ""
    dump(cookie, to: &dumped)
    let jar = CookieJar()
    try jar.insert(cookie)
    for text in ["\(cookie)", String(reflecting: cookie), "\([cookie])", dumped, "\(jar)", String(reflecting: jar)] {
      #expect(!text.contains("hidden"))
    }
    #expect(
      "\(cookie)"
        == "name=[secret]; Path=/a; Domain=example.com; Expires=2026-01-01T00:01:00Z; Secure; HttpOnly; SameSite=Lax")
    let rejected = #expect(throws: CookieError.self) { try kept("name=hidden\u{1}") }
    #expect(rejected?.description == "cookie name was rejected: it contains a control character")
  }
}
