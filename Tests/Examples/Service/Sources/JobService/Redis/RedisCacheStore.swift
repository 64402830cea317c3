import Faraday
import FaradayCache
import NIOCore

/// The HTTP cache in Redis, so that a page that one process has fetched is a hit in all. An error of Redis fails no request.
///
/// Redis bounds the size: with `maxmemory` and `maxmemory-policy volatile-lru` it evicts records, and never an unfinished job,
/// because a job has no expiry until it is finished.
struct RedisCacheStore: CacheStore {
  let redis: Redis
  let maximumEntrySize = 1 << 20

  func record(for key: CacheKey) async throws -> CacheRecord? {
    guard case .bytes(let bytes) = try await redis.send(["GET", Self.name(key)]) else { return nil }
    return try CacheRecord(decoding: Data(bytes.readableBytesView))
  }

  func store(_ record: CacheRecord, for key: CacheKey) async throws {
    let words = [ByteBuffer(string: "SET"), ByteBuffer(string: Self.name(key)), ByteBuffer(bytes: record.encoded())]
    _ = try await redis.send(words + ["EX", "86400"].map { ByteBuffer(string: $0) })
  }

  func remove(_ key: CacheKey) async throws {
    _ = try await redis.send(["DEL", Self.name(key)])
  }

  private static func name(_ key: CacheKey) -> String { "cache:" + key.digest }
}
