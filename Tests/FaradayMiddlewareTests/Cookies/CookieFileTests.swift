import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

/// Jars in files.
@Suite struct CookieFileTests {
  static let now = Date(timeIntervalSince1970: 1_767_225_600)

  private func jar() -> CookieJar { CookieJar(now: { Self.now }) }

  /// One of each kind.
  private func filled() throws -> CookieJar {
    let jar = jar()
    let cookies = [
      Cookie("session", "1", domain: "example.com", created: Self.now),
      Cookie(
        "all", "a b\t\"c\"=d", domain: "example.com", isHostOnly: false, path: "/x y", expires: Self.now + 60, isSecure: true,
        isHTTPOnly: true, sameSite: .lax, created: Self.now),
      Cookie("", "nameless", domain: "127.0.0.1", created: Self.now), Cookie("empty", "", domain: "::1", created: Self.now),
      Cookie(
        "é", "#ü", domain: "example.com", isSecure: true, isHTTPOnly: true, sameSite: .unrestricted, created: Self.now),
    ]
    for cookie in cookies { try jar.insert(cookie) }
    return jar
  }

  private func path() -> String { FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString }

  @Test(arguments: [CookieFile.netscape, .json])
  func `a missing or impossible cookie file is an error with its name and leaves the jar unchanged`(form: CookieFile) throws {
    let jar = try filled()
    let before = jar.cookies
    let missing = #expect(throws: StoreError.self) { try jar.read(from: "/nonexistent/cookies", as: form) }
    #expect(missing?.description == "file /nonexistent/cookies: No such file or directory")
    let unwritable = #expect(throws: StoreError.self) { try jar.write(to: "/nonexistent/cookies", as: form) }
    #expect(unwritable?.description == "file /nonexistent/cookies: No such file or directory")
    #expect(throws: StoreError.self) { try jar.write(to: "/tmp", as: form) }
    #expect(throws: StoreError.self) { try jar.read(from: "/dev/zero", as: form) }
    #expect(jar.cookies == before)
  }

  @Test func `truncated JSON is an error without its contents and leaves the jar unchanged`() throws {
    let whole = try filled().data(as: .json)
    for length in 0..<(whole.count - 1) {
      let jar = jar()
      try jar.insert(Cookie("mine", "1", domain: "example.com"))
      let failure = #expect(throws: StoreError.self) { try jar.read(whole.prefix(length), as: .json) }
      #expect(failure?.description == "not a JSON array of cookies, or truncated")
      #expect(jar.cookies.map(\.name) == ["mine"])
    }
    for text in ["{}", "1", "\"a\"", "null", "[1", "[]]", "\u{FEFF}x"] {
      #expect(throws: StoreError.self) { try jar().read(Data(text.utf8), as: .json) }
    }
  }

  @Test func `invalid and rejected cookies in JSON are skipped and counted`() throws {
    let jar = jar()
    let whole = String(decoding: try filled().data(as: .json), as: UTF8.self)
    let good = String(whole.dropFirst().prefix { $0 != "}" }) + "}"
    let bad: [String] = [
      "1", "null", "{}", good.replacing("\"session\"", with: "\"a\\u0001\""),
      good.replacing("example.com", with: "com").replacing("\"isHostOnly\" : true", with: "\"isHostOnly\" : false"),
    ]
    let text = "[" + ([good] + bad).joined(separator: ",") + "]"
    let reading = try jar.read(Data(text.utf8), as: .json)
    #expect(reading.addedCount == 1 && reading.expiredCount == 0 && reading.rejected == [1, 2, 3, 4, 5])
    #expect(jar.cookies.map(\.name) == ["session"])
  }

  @Test func `invalid and rejected lines of cookies txt are skipped and counted`() throws {
    let lines = [
      "# Netscape HTTP Cookie File", "", "#example.com\tFALSE\t/\tFALSE\t0\tcomment\t1",
      "example.com\tFALSE\t/\tFALSE\t0\tgood\t1",
      // From here on, line 5.
      "nonsense", "example.com\tFALSE\t/\tFALSE\t0\tcut", "example.com\tMAYBE\t/\tFALSE\t0\ta\t1",
      "example.com\tFALSE\t/\tFALSE\tsoon\ta\t1", "example.com\tFALSE\tx\tFALSE\t0\ta\t1", "com\tTRUE\t/\tFALSE\t0\ta\t1",
      "127.0.0.1\tTRUE\t/\tFALSE\t0\ta\t1", "example.com\tFALSE\t/\tFALSE\t0\t__Host-a\t1",
      "example.com\tFALSE\t/\tFALSE\t0\ta\t1\u{1}",
      "example.com\tFALSE\t/\tFALSE\t0\t\t", "example.com\tFALSE\t/\tFALSE\t0\ta\t" + String(repeating: "x", count: 4096),
      "#HttpOnly_", "exa mple.com\tFALSE\t/\tFALSE\t0\ta\t1", "example.com FALSE / FALSE 0 a 1",
      // Good ones again.
      "#HttpOnly_.Example.com\ttrue\t/\tfalse\t9999999999\thttp\ta\tb\r", "example.com\tFALSE\t/\tFALSE\t1\told\t1",
    ]
    let jar = jar()
    let reading = try jar.read(Data(lines.joined(separator: "\n").utf8) + Data("\n\u{00}\n".utf8) + [0xFF, 0x0A], as: .netscape)
    #expect(reading.rejected == Array(5...18) + [21, 22])
    #expect(reading.addedCount == 2 && reading.expiredCount == 1)
    #expect(jar.cookies.map(\.name) == ["good", "http"])
    let last = try #require(jar.cookies.last)
    #expect(last.isHTTPOnly && !last.isHostOnly && last.domain == "example.com" && last.value == "a\tb")
    // A file keeps nothing for longer than a server may.
    #expect(last.expires == Self.now + 400 * 86_400)
  }

  @Test func `a truncated cookies txt loads its complete lines`() throws {
    let whole = try filled().data(as: .netscape)
    for length in 0..<whole.count {
      let reading = try jar().read(whole.prefix(length), as: .netscape)
      #expect(reading.addedCount <= 5 && reading.rejected.count <= 1)
    }
  }

  @Test func `JSON preserves every attribute`() throws {
    let jar = try filled()
    _ = jar.header(for: try #require(URL(string: "https://example.com/")))
    let copy = self.jar()
    #expect(try copy.read(jar.data(as: .json), as: .json).addedCount == 5)
    #expect(copy.cookies == jar.cookies)
    #expect(try copy.data(as: .json) == jar.data(as: .json))
  }

  @Test func `cookies txt preserves every attribute that the format has`() throws {
    let jar = try filled()
    try jar.insert(Cookie("tab\tbed", "1", domain: "example.com"))
    let text = String(decoding: try jar.data(as: .netscape), as: UTF8.self)
    #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
    #expect(
      text.hasSuffix(
        "example.com\tFALSE\t/\tFALSE\t0\tsession\t1\n"
          + "#HttpOnly_.example.com\tTRUE\t/x y\tTRUE\t1767225660\tall\ta b\t\"c\"=d\n"
          + "127.0.0.1\tFALSE\t/\tFALSE\t0\t\tnameless\n::1\tFALSE\t/\tFALSE\t0\tempty\t\n"
          + "#HttpOnly_example.com\tFALSE\t/\tTRUE\t0\té\t#ü\n"))
    let copy = self.jar()
    #expect(try copy.read(Data(text.utf8), as: .netscape).addedCount == 5)
    let expected = try filled().cookies.map { cookie in
      var cookie = cookie
      cookie.sameSite = nil
      return cookie
    }
    #expect(copy.cookies == expected)
  }

  @Test func `the file stores the last use of each cookie independent of its position`() throws {
    var now = Self.now
    var cookies = ["a", "b", "c"].map { Cookie($0, "1", domain: "\($0).com", created: now) }
    now += 1
    cookies[0].lastUsed = now
    let jar = CookieJar(limits: .init(total: 2), now: { Self.now })
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    try jar.read(encoder.encode(cookies), as: .json)
    #expect(jar.cookies.map(\.name) == ["a", "c"])
  }

  @Test(arguments: [CookieFile.netscape, .json])
  func `the file is private to its owner, replaces the old file and leaves no temporary file`(form: CookieFile) throws {
    let folder = path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/cookies"
    try Data("old".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let jar = try filled()
    try jar.write(to: path, as: form)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["cookies"])
    let copy = self.jar()
    #expect(try copy.read(from: path, as: form).addedCount == 5)
    #expect(copy.cookies.map(\.pair) == jar.cookies.map(\.pair))
  }

  @Test func `an expiry that is not a number becomes the limit`() throws {
    let jar = jar()
    try jar.insert(Cookie("a", "b", domain: "example.com", expires: Date(timeIntervalSince1970: .nan), created: Self.now))
    let path = path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try jar.write(to: path, as: .netscape)
    #expect(jar.cookies.map(\.expires) == [Self.now + 400 * 86400])
  }

  @Test(arguments: [CookieFile.netscape, .json])
  func `expired cookies are not written`(form: CookieFile) throws {
    let jar = try filled()
    let later = CookieJar(now: { Self.now + 60 })
    let reading = try later.read(jar.data(as: form), as: form)
    #expect(reading.addedCount == 4 && reading.expiredCount == 1)
    #expect(try !String(decoding: later.data(as: form), as: UTF8.self).contains("all"))
  }

  @Test(arguments: [CookieFile.netscape, .json])
  func `the file preserves bytes that are not UTF-8`(form: CookieFile) async throws {
    let octets = (UInt8(0x80)...0xFF).map { $0 }
    let field = HTTPField(name: .setCookie, lenientValue: octets + [0x3D] + octets)
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, headers: HTTPFields([field]), url: $0.url) }
    let jar = jar()
    _ = try await Connection("http://example.com/", adapter: mock, middleware: [.cookies(jar)]).get()
    let data = try jar.data(as: form)
    let copy = self.jar()
    #expect(try copy.read(data, as: form).rejected.isEmpty)
    #expect(try copy.data(as: form) == data && copy.cookies == jar.cookies && copy.cookies.count == 1)
    _ = try await Connection("http://example.com/", adapter: mock, middleware: [.cookies(copy)]).get()
    let sent = mock.recorded.last?.request.headers[fields: .cookie].first?.withUnsafeBytesOfValue { Array($0) }
    #expect(sent == octets + [0x3D] + octets)
    if form == .netscape { #expect(data.contains(octets + [0x09] + octets)) }
  }
}

extension Cookie {
  fileprivate var pair: String { name + "=" + value }
}
