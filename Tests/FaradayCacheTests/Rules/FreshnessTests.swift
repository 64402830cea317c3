import Faraday
import FaradayCache
import FaradayTesting
import Testing

@Suite struct FreshnessTests {
  private let server = CachedServer()

  // MARK: 4.2.1, the lifetime

  @Test func `RFC 9111 4.2.1: a response is returned with its Age until its max-age has passed`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.look() == "body 1, miss, stored")
    server.advance(by: 59)
    let hit = try await server.get()
    #expect(try await hit.body.utf8Text() == "body 1" && hit.headers[.age] == "59" && hit.cacheResult?.outcome == .hit)
    server.advance(by: 1)
    #expect(try await server.look() == "body 2, miss, stored")
    #expect(server.count == 2)
  }

  @Test func `RFC 9111 4.2.1: max-age overrides Expires, and s-maxage is ignored`() async throws {
    server.answer([.cacheControl: "s-maxage=1, max-age=60", .expires: CachedServer.date(-100)])
    try await server.get()
    server.advance(by: 50)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test(arguments: [0, -50]) func `RFC 9111 4.2.1: Expires counts from Date`(date: Int) async throws {
    server.answer([.expires: CachedServer.date(100), .date: CachedServer.date(date)])
    try await server.get()
    server.advance(by: 99)
    #expect(try await server.look() == "body 1, hit")
    server.advance(by: 1)
    #expect(try await server.look() == "body 2, miss, not stored (never fresh)")
  }

  @Test func `RFC 9111 5.3: without Date, Expires counts from the time of the response`() async throws {
    server.answer([.expires: CachedServer.date(100)])
    try await server.get()
    server.advance(by: 99)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test(arguments: ["0", "-1", "", "yesterday", "Thu, 99 Jan 2026 00:00:00 GMT"])
  func `RFC 9111 5.3: an invalid Expires is in the past`(expires: String) async throws {
    server.answer([.expires: expires, .lastModified: CachedServer.date(-86_400)])
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [
    "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
    "Thu, 18  Aug  2050 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu,18 Aug 2050 02:01:18 GMT",
    "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050 02:01:18 AEST",
    "Thu, 18 Aug 2050 02:01:18 +0000", "18 Aug 2050 02:01:18 GMT", "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01 GMT",
    "Thu, 18 Aug 2050 24:01:18 GMT", "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT",
    "Thu, 31 Apr 2050 02:01:18 GMT", "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 18 Xug 2050 02:01:18 GMT",
    "Thx, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 20500 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT GMT",
    "Thu, 18 Aug 2050 02:01:18  GMT", "Thu, 18 Aug 2050 02:01:18 GMT; x", "Thursday, 18-Aug-2050 02:01:18 GMT",
    "Thu, 18-Aug-50 02:01:18 GMT", "Thursday, 18 Aug 2050 02:01:18 GMT", "Thu Aug 18 02:01:18 50", "Thu Aug  18 02:01:18 2050",
    "Thu Aug 8 02:01:18 2050", "Thu Aug 18 02:01:18 2050 GMT", "Thursday Aug 18 02:01:18 2050",
    "\"Thu, 18 Aug 2050 02:01:18 GMT\"",
    "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "Thu, +8 Aug 2050 02:01:18 GMT",
  ])
  func `RFC 9111 5.3: an Expires that is nearly an RFC 9110 date is in the past`(expires: String) async throws {
    server.answer([.expires: expires, .eTag: "\"a\"", .lastModified: CachedServer.date(-86_400)])
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [
    "Thu, 18 Aug 2050 02:01:18 GMT", "Thursday, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 2050", "Thu Aug  8 02:01:18 2050",
    "THU, 18 AUG 2050 02:01:18 gmt", "thursday, 18-aug-50 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 UTC",
    "Thu, 18 Aug 2050 02:01:60 GMT", "Fri, 18 Aug 2050 02:01:18 GMT", "Sun, 29 Feb 2048 02:01:18 GMT",
  ])
  func `RFC 9110 5.6.7: Expires is accepted in three formats and any letter case`(expires: String) async throws {
    server.answer([.expires: expires])
    try await server.get()
    server.advance(by: 86_400)
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  @Test func `RFC 9110 5.6.7: a two-digit year more than 50 years ahead is in the past`() async throws {
    server.answer([.expires: "Sunday, 06-Nov-77 08:49:37 GMT"], times: 1)
    #expect(try await server.look("far") == "body 1, miss, not stored (never fresh)")
    // 2076-11-06 is more than 50 years after 2026-01-01.
    server.answer([.expires: "Friday, 06-Nov-76 08:49:37 GMT"], times: 1)
    #expect(try await server.look("farther") == "body 2, miss, not stored (never fresh)")
    server.answer([.expires: "Wednesday, 06-Nov-75 08:49:37 GMT"])
    try await server.get("near")
    #expect(try await server.get("near").cacheResult?.outcome == .hit)
  }

  @Test(arguments: ["Thu, 1-Jan-2026 0:00:00 GMT", "Thu, 01 Jan 26 00:00:00 GMT", "Thu Jan  1 00:00:00 2026"])
  func `RFC 9110 5.6.7: Date is parsed leniently`(date: String) async throws {
    server.advance(by: 100)
    server.answer([.date: date, .cacheControl: "max-age=150"])
    try await server.get()
    #expect(try await server.get().headers[.age] == "100")
  }

  @Test func `RFC 9111 4.2.1: conflicting Expires fields are stale`() async throws {
    var fields: HTTPFields = [:]
    fields.append(HTTPField(name: .expires, value: CachedServer.date(100)))
    fields.append(HTTPField(name: .expires, value: CachedServer.date(200)))
    server.answer(fields)
    #expect(try await server.look() == "body 1, miss, not stored (never fresh)")
  }

  @Test(arguments: [
    "max-age=-1", "max-age=", "max-age", "max-age=1.5", "max-age=x", "max-age=60, max-age=61", "max-age=60 60", "max-age='60'",
    "max-age = 60", "max-age=\"60", "max-age==60",
  ])
  func `RFC 9111 4.2.1: an invalid or conflicting max-age is stale`(directive: String) async throws {
    server.answer([.cacheControl: directive, .eTag: "\"a\"", .lastModified: CachedServer.date(-86_400)])
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [
    "MAX-AGE=60", "max-age=\"60\"", "max-age=60, max-age=60", ",, max-age=60 ,", "a=\"b, no-store\", max-age=60", "=, max-age=60",
    "max-age=99999999999999999999999", "max-age=060", "@@@, max-age=60", "public;x, max-age=60",
  ])
  func `RFC 9111 5.2: directives are case-insensitive, can be quoted, and are read beside malformed ones`(directive: String)
    async throws
  {
    server.answer([.cacheControl: directive])
    try await server.get()
    server.advance(by: 59)
    #expect(try await server.look() == "body 1, hit")
  }

  @Test(arguments: ["private=\"a, no-store", "x=\"y, no-store", "max-age=60 , NO-STORE=1", "?, no-store"])
  func `RFC 9111 5.2: malformed directives never hide no-store`(directive: String) async throws {
    server.answer([.cacheControl: directive, .expires: CachedServer.date(100)])
    #expect(try await server.get().cacheResult?.storing == .notStored(.noStore))
  }

  // MARK: 4.2.2, heuristic freshness

  @Test func `RFC 9111 4.2.2: the heuristic lifetime is a tenth of the time since Last-Modified`() async throws {
    server.answer([.lastModified: CachedServer.date(-1000)])
    try await server.get()
    server.advance(by: 99)
    #expect(try await server.look() == "body 1, hit")
    server.advance(by: 1)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 4.2.2: the heuristic lifetime is a day at most`() async throws {
    server.answer([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"])
    try await server.get()
    server.advance(by: 86_399)
    #expect(try await server.look() == "body 1, hit")
    server.advance(by: 1)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 4.2.2: a policy sets the heuristic lifetime with every store`() async throws {
    var policy = HTTPCache.Policy()
    policy.lastModifiedFraction = 0
    let store = MemoryCache()
    let (strict, usual) = (CachedServer(store: store, policy: policy), CachedServer(store: store))
    usual.answer([.lastModified: CachedServer.date(-1000)])
    strict.answer([.lastModified: CachedServer.date(-1000)])
    #expect(try await usual.look() == "body 1, miss, stored")
    #expect(try await usual.look() == "body 1, hit")
    #expect(try await strict.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
  func `RFC 9110 15.1: these statuses have a heuristic lifetime`(code: Int) async throws {
    server.answer([.lastModified: CachedServer.date(-1000)], status: HTTPResponse.Status(code: code))
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  @Test(arguments: [201, 202, 302, 303, 307, 400, 403, 418, 500, 503])
  func `RFC 9110 15.1: other statuses are stored only with an explicit lifetime`(code: Int) async throws {
    server.answer([.lastModified: CachedServer.date(-1000)], status: HTTPResponse.Status(code: code), times: 1)
    #expect(try await server.get().cacheResult?.storing == .notStored(.status))
    server.answer([.cacheControl: "max-age=9"], status: HTTPResponse.Status(code: code))
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  @Test func `RFC 9111 3: public makes any status storable, with a heuristic lifetime`() async throws {
    server.answer([.lastModified: CachedServer.date(-1000), .cacheControl: "public"], status: .created)
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  // MARK: 4.2.3, the age

  @Test func `RFC 9111 4.2.3: the age includes the Age field and the response time`() async throws {
    server.answer { [server] request in
      server.advance(by: 10)
      return Response(status: .ok, headers: [.cacheControl: "max-age=60", .age: "20"], body: "a", url: request.url)
    }
    try await server.get()
    server.advance(by: 29)
    #expect(try await server.get().headers[.age] == "59")
    server.advance(by: 1)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 4.2.3: an old Date counts as age`() async throws {
    server.answer([.cacheControl: "max-age=60", .date: CachedServer.date(-50)])
    try await server.get()
    server.advance(by: 9)
    #expect(try await server.get().headers[.age] == "59")
    server.advance(by: 1)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [("-1", "0"), ("", "0"), ("x", "0"), ("1.5", "0"), ("7, 9", "7")])
  func `RFC 9111 5.1: an invalid Age is ignored, and the first of a list counts`(age: (String, String)) async throws {
    server.answer([.cacheControl: "max-age=60", .age: age.0])
    try await server.get()
    #expect(try await server.get().headers[.age] == age.1)
  }

  @Test func `RFC 9111 1.2.2: an Age that overflows is sent as 2147483648`() async throws {
    server.answer([.cacheControl: "max-age=1", .age: "99999999999999999999999", .eTag: "\"a\""])
    try await server.get()
    let stale = try await server.get(headers: [.cacheControl: "max-stale"])
    #expect(stale.headers[.age] == "2147483648" && stale.cacheResult?.outcome == .stale(.maximumStale))
  }

  @Test func `a record stored under a fast wall clock is replaced by a later response`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    server.advance(by: 86_400)
    try await server.get()
    server.advance(by: -86_400)
    #expect(try await server.look() == "body 2, miss, stored")
    #expect(try await server.look() == "body 2, hit")
  }

  @Test(arguments: ["Thu, 01 Jan 2026 00:01:40 CET", "Thu, 01 Jan 2026 00:01:40 +0100", "Thu, 01 Jan 2026 00:01:40"])
  func `RFC 9111 4.2: an Expires in another time zone is in the past`(expires: String) async throws {
    server.answer([.expires: expires, .eTag: "\"a\""])
    try await server.get()
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: ["Thu, 01 Jan 2026 00:01:40 GMT", "Thursday, 01-Jan-26 00:01:40 GMT", "Thu Jan  1 00:01:40 2026"])
  func `RFC 9110 5.6.7: all three date formats parse`(expires: String) async throws {
    server.answer([.expires: expires])
    try await server.get()
    server.advance(by: 99)
    #expect(try await server.get().cacheResult?.outcome == .hit)
  }

  @Test func `RFC 9111 4.2.3: a future Date makes no response younger, nor fresh for more than a day`() async throws {
    let future = "Fri, 01 Jan 2027 00:00:00 GMT"
    server.answer([.date: future, .lastModified: CachedServer.date(-1000)])
    try await server.get()
    server.advance(by: 86_399)
    #expect(try await server.get().cacheResult?.outcome == .hit)
    server.advance(by: 1)
    #expect(try await server.get().cacheResult?.outcome == .miss)
    let other = CachedServer()
    other.answer([.date: future, .cacheControl: "max-age=60"])
    try await other.get()
    other.advance(by: 60)
    #expect(try await other.get().cacheResult?.outcome == .miss)
  }

  @Test func `RFC 9111 5.1: the first of two Age fields counts`() async throws {
    var fields: HTTPFields = [.cacheControl: "max-age=60"]
    for age in ["7", "9"] { fields.append(HTTPField(name: .age, value: age)) }
    server.answer(fields)
    try await server.get()
    #expect(try await server.get().headers[values: .age] == ["7"])
  }

  @Test func `a wall clock that was set back makes no response younger`() async throws {
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    server.advance(by: -61)
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func `an invalid wall clock is harmless`(time: Double) async throws {
    server.answer([.cacheControl: "max-age=60, stale-while-revalidate=9", .lastModified: CachedServer.date(-1000)])
    try await server.get()
    server.clock.now = time
    _ = try await [server.look(), server.look(mode: .preferCached), server.look(mode: .onlyIfCached)]
    await server.revalidationsEnded()
  }
}
