import Faraday
import FaradayCache
import FaradayTesting
import Foundation
import Harness
import NIOCore
import Testing

@testable import JobService

@Suite struct RedisReplyTests {
  @Test func `a reply in pieces is decoded when it is complete`() throws {
    let text = "*4\r\n$4\r\na\r\nb\r\n:-7\r\n$-1\r\n*1\r\n+OK\r\n"
    let whole = RedisReply.array([
      .bytes(ByteBuffer(string: "a\r\nb")), .integer(-7), .null, .array([.bytes(ByteBuffer(string: "OK"))]),
    ])
    for count in 0..<text.utf8.count {
      var part = ByteBuffer(bytes: text.utf8.prefix(count))
      #expect(try RedisReplyDecoder.reply(from: &part, depth: 0) == nil)
    }
    var bytes = ByteBuffer(string: text + "+next")
    #expect(try RedisReplyDecoder.reply(from: &bytes, depth: 0) == whole)
    #expect(bytes.readableBytes == 5)
  }

  @Test(arguments: [
    "\n", "?\r\n", "$x\r\n", "$-2\r\n", "$99999999999\r\n", "*99999999\r\n", String(repeating: "*1\r\n", count: 9),
  ])
  func `a malformed reply is an error`(_ text: String) {
    var bytes = ByteBuffer(string: text)
    #expect(throws: RedisError.malformedReply) { try RedisReplyDecoder.reply(from: &bytes, depth: 0) }
  }
}

@Suite(.enabled(if: RedisServer.program != nil, "needs redis-server"), .timeLimit(.minutes(5)))
struct RedisTests {
  @Test func `a job is claimed by one process, and by another after the lease`() async throws {
    try await withRedis { redis in
      let queue = JobQueue(redis: redis)
      #expect(try await queue.claim() == nil)
      let job = try await queue.submit(id: "1", tenant: "a", url: "https://example.com/")
      #expect(job.state == .queued && job.claims == 0)
      // The same order again is the same job.
      #expect(try await queue.submit(id: "1", tenant: "a", url: "https://example.com/") == job)

      let first = try #require(try await queue.claim())
      #expect(first.state == .running && first.claims == 1 && first.url == job.url)
      #expect(try await queue.claim() == nil)
      // The lease is over.
      _ = try await redis.send(["ZADD", "{jobs}:due", "0", "1"])
      let second = try #require(try await queue.claim())
      #expect(second.claims == 2 && second.attempts == 2)

      #expect(try await !queue.settle(first, .done(label: "of the first")))
      #expect(try await queue.settle(second, .refused(after: .zero, reason: "a limit")))
      #expect(try await queue.job("1")?.state == .queued)
      let third = try await eventually { try await queue.claim() }
      #expect(third.claims == 3 && third.attempts == 2 && third.reason == "a limit")
      #expect(try await queue.settle(third, .done(label: "news")))
      let done = try await queue.job("1")
      #expect(done?.state == .done && done?.label == "news" && done?.reason == nil)
      #expect(try await redis.send(["ZCARD", "{jobs}:due"]) == .integer(0))
      #expect(try await queue.job("2") == nil)
    }
  }

  @Test func `a full queue takes no job`() async throws {
    try await withRedis { redis in
      let queue = JobQueue(redis: redis, capacity: 1)
      _ = try await queue.submit(id: "1", tenant: "a", url: "https://example.com/")
      await #expect(throws: JobQueue.Full.self) { try await queue.submit(id: "2", tenant: "a", url: "https://example.com/") }
    }
  }

  @Test func `two processes share circuits and cached pages`() async throws {
    try await withRedis { redis in
      let mock = MockAdapter { request in
        request.path == "/down" ? .status(.internalServerError) : .text("a page", headers: [.cacheControl: "max-age=600"])
      }
      func process() throws -> Connection {
        try Connection(
          "https://example.com/", adapter: mock,
          middleware: .standard(
            cache: HTTPCache(in: RedisCacheStore(redis: redis)),
            circuitBreaker: CircuitBreaker(
              CircuitBreaker.Policy(failures: 3, window: .seconds(3600), delay: .seconds(3600)),
              store: RedisLimitStore(redis: redis))))
      }
      let (first, second) = (try process(), try process())
      #expect(try await first.get("page").text() == "a page")
      #expect(try await second.get("page").cacheResult?.outcome == .hit)
      for _ in 0..<3 { #expect(try await first.get("down").status == .internalServerError) }
      await #expect(throws: RefusedRequestError.self) { try await second.get("other") }
      #expect(mock.recorded.count == 4)
    }
  }

  @Test func `a Redis that hangs costs the time limit, and is used again when it works`() async throws {
    let server = try await RedisServer()
    let redis = Redis(server.url, timeout: .milliseconds(100))
    #expect(try await eventually { try? await redis.send(["PING"]) }.text == "PONG")
    server.child.signal(SIGSTOP)
    await #expect(throws: RedisError.timeout) { try await redis.send(["PING"]) }
    server.child.signal(SIGCONT)
    #expect(try await eventually { try? await redis.send(["PING"]) }.text == "PONG")
    await #expect(throws: RedisError.refused("ERR unknown command 'NONE', with args beginning with: ")) {
      try await eventually {
        do { return try await redis.send(["NONE"]) } catch RedisError.timeout { return nil }
      }
    }
    try await server.remove()
    await #expect(throws: RedisError.self) { try await redis.send(["PING"]) }
  }

  private func withRedis(_ body: (Redis) async throws -> Void) async throws {
    let server = try await RedisServer()
    try await body(Redis(server.url, timeout: .seconds(60)))
    try await server.remove()
  }
}
