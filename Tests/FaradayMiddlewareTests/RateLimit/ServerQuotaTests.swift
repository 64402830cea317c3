import Faraday
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

@Suite(.watchdog) struct ServerQuotaTests {
  private func quota(_ fields: [(String, String)], status: Int = 200) throws -> ServerQuota {
    var headers = HTTPFields()
    for (name, value) in fields { headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    return ServerQuota(HTTPResponse(status: .init(code: status), headerFields: headers), unixTime: 1_700_000_000)
  }

  @Test(
    arguments: [
      // draft-ietf-httpapi-ratelimit-headers-10.
      ([("RateLimit", "\"default\";r=50;t=30")], 50, 30.0),
      ([("RateLimit", "\"burst\";r=10;t=1, \"day\";r=3;t=3600")], 3, 3600),
      ([("RateLimit", "\"a\";r=5;t=1"), ("RateLimit", "\"b\";r=5;t=9;pk=:aGVsbG8vPT0=:")], 5, 9),
      ([("RateLimit-Policy", "\"a\";q=100;w=60;qu=\"requests\";partial"), ("RateLimit", "\"a\";r=5")], 5, 60),
      // Drafts before it.
      ([("RateLimit", "default;r=7;t=2")], 7, 2),
      ([("RateLimit", "limit=100, remaining=50, reset=5")], 50, 5),
      ([("RateLimit-Limit", "100, 100;w=60"), ("RateLimit-Remaining", "1"), ("RateLimit-Reset", "20")], 1, 20),
      // The habits of servers.
      ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1700000060")], 0, 60),
      ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1700000060500")], 0, 60.5),
      ([("X-Rate-Limit-Remaining", "4"), ("X-Rate-Limit-Reset", "1.5")], 4, 1.5),
      ([("X-RateLimit-Remaining", "4, 4"), ("X-RateLimit-Reset", "9, 9")], 4, 9),
      // A time that is past is a reset now.
      ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1600000000")], 0, 0),
    ] as [([(String, String)], Int, Double)])
  func `every form of quota fields parses`(fields: [(String, String)], remaining: Int, reset: Double) throws {
    let quota = try quota(fields)
    #expect(quota.remaining == remaining && quota.reset == .seconds(reset))
  }

  @Test(arguments: [
    "", ",", ";", "\"", "\"a", "\"a\";", "\"a\";r", "\"a\";r=", "\"a\";r=-1;t=5", "\"a\";r=x;t=5", "\"a\";r=1;t=:",
    "\"a\";r=1;t=:a",
    "\"a\";t=5", "\"a\";r=5", "a b c", "remaining=1", "remaining=;reset=", "remaining=1 reset=2", "(1 2);r=1;t=2", "\u{1}",
    "\"a\";r=1..5;t=.", "\"a\" ;r=1;t=2 \"b\"", "🦆;r=1;t=2", "=1",
  ])
  func `invalid quota fields are ignored`(value: String) throws {
    for name in ["RateLimit", "RateLimit-Remaining", "X-RateLimit-Remaining", "X-RateLimit-Reset"] {
      #expect(try quota([(name, value)]).isEmpty, "\(name)")
    }
  }

  @Test(arguments: [
    "9", "1e9", "0x10", "inf", "nan", "-5", "9.9.9", String(repeating: "9", count: 300), String(repeating: "9", count: 5000),
  ])
  func `numbers out of range are clamped or ignored`(number: String) throws {
    for fields in [
      [("RateLimit", "\"a\";r=\(number);t=\(number)")], [("X-RateLimit-Remaining", number), ("X-RateLimit-Reset", number)],
      [("Retry-After", number)],
    ] {
      let quota = try quota(fields, status: 429)
      var bucket = TokenBucket()
      let policy = RateLimit.Policy(1, per: .seconds(1), maximumServerDelay: .seconds(50))
      bucket.obey(quota, at: .seconds(3_155_760_000), policy)
      #expect(bucket.wait(at: .seconds(3_155_760_000), policy) <= .seconds(50))
    }
  }

  @Test func `a rejection means an empty quota, and Retry-After counts only in a rejection`() throws {
    #expect(try quota([("RateLimit", "\"a\";r=5;t=9")], status: 429).remaining == 0)
    #expect(try quota([("Retry-After", "5")]).isEmpty)
    #expect(try quota([("Retry-After", "5"), ("Retry-After", "8")], status: 503).retryAfter == .seconds(8))
    #expect(try quota([("Retry-After", "Tue, 14 Nov 2023 22:13:50 GMT")], status: 429).retryAfter == .seconds(30))
    #expect(try quota([], status: 429).isEmpty)
  }

  @Test func `a late response neither adds requests nor moves the reset`() throws {
    let policy = RateLimit.Policy(maximumWait: .zero)
    var bucket = TokenBucket()
    let (newer, older) = (
      try quota([("RateLimit", "\"a\";r=1;t=10")]), try quota([("RateLimit", "\"a\";r=5;t=50")])
    )
    bucket.obey(newer, at: .zero, policy)
    bucket.obey(older, at: .seconds(1), policy)
    #expect(bucket.take(at: .seconds(2), policy) == nil)
    #expect(bucket.take(at: .seconds(2), policy) == .seconds(8))
    // One with fewer requests left is the newest, and so is its reset.
    let last = try quota([("RateLimit", "\"a\";r=0;t=30")])
    bucket.obey(last, at: .seconds(3), policy)
    #expect(bucket.take(at: .seconds(4), policy) == .seconds(29))
  }
}
