import Faraday
import FaradayCache
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Rules for every store, and records as bytes.
@Suite struct CacheStoreTests {
  private static let folder = TemporaryFolder()

  private static func stores() throws -> [any CacheStore] {
    [MemoryCache(), try DiskCache(folder.path + "/" + UUID().uuidString), EncodingStore()]
  }

  @Test func `every store returns a record until it is replaced or removed`() async throws {
    for store in try Self.stores() {
      let server = CachedServer(store: store)
      server.answer([.cacheControl: "max-age=60", .vary: "Accept", .contentType: "a/b", .eTag: "\"a\""])
      #expect(try await server.look(headers: [.accept: "a/a"]) == "body 1, miss, stored")
      #expect(try await server.look(headers: [.accept: "b/b"]) == "body 2, miss, stored")
      let hit = try await server.get(headers: [.accept: "a/a"])
      #expect(try await hit.body.utf8Text() == "body 1" && hit.headers[.contentType] == "a/b" && hit.version == .http1_1)
      #expect(try await server.look(headers: [.accept: "a/a"], mode: .reload) == "body 3, miss, stored")
      #expect(try await server.look(headers: [.accept: "a/a"]) == "body 3, hit")
      _ = try await server.send(.post)
      #expect(try await server.get(headers: [.accept: "b/b"]).cacheResult?.outcome == .miss)
    }
  }

  @Test func `a failing store fails no request`() async throws {
    let server = CachedServer(store: FailingStore())
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.look() == "body 1, miss, not stored (the store failed)")
    #expect(try await server.send(.post).status == .ok)
    #expect(try await server.look() == "body 3, miss, not stored (the store failed)")
  }

  @Test func `a cancelled request gets no response from the cache`() async throws {
    let server = CachedServer()
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await server.get()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `every changed, missing or added byte of a record is detected`() async throws {
    let store = EncodingStore()
    let server = CachedServer(store: store)
    server.answer([.cacheControl: "max-age=60", .vary: "Accept, Accept-Language"])
    try await server.get()
    #expect(store.records.count == 2)
    for data in store.records.values {
      #expect(try CacheRecord(decoding: data).encoded() == data)
      for index in data.indices {
        var changed = data
        changed[index] ^= 0x10
        #expect(throws: StoreError(.invalidRecord)) { try CacheRecord(decoding: changed) }
        #expect(throws: StoreError(.invalidRecord)) { try CacheRecord(decoding: data.prefix(index)) }
      }
      #expect(throws: StoreError(.invalidRecord)) { try CacheRecord(decoding: data + [0]) }
      // Also as a part of another.
      #expect(try CacheRecord(decoding: (Data([1, 2, 3]) + data).dropFirst(3)).size > 0)
    }
  }

  @Test func `descriptions of keys, records and stores contain no URL and no body`() async throws {
    let memory = MemoryCache()
    let server = CachedServer(store: memory)
    server.answer([.cacheControl: "max-age=60"])
    try await server.get("secret-path")
    let key = CacheKey("index http://host/secret-path")
    let record = try #require(memory.record(for: key))
    for shown in [Shown.all(key), Shown.all(record), Shown.all(memory)] {
      #expect(!shown.contains("secret") && !shown.contains("body"))
    }
    #expect(key.digest.count == 64)
  }

  // MARK: memory

  @Test func `memory is bounded, and the least recently used record is evicted first`() async throws {
    let memory = MemoryCache(maximumSize: 20_000)
    let server = CachedServer(store: memory)
    server.answer {
      Response(
        status: .ok, headers: [.cacheControl: "max-age=60"], body: .stream(Pieces(size: 2000), isReplayable: true), url: $0.url)
    }
    for path in 0..<4 { try await server.get("\(path)") }
    for path in 4..<40 {
      try await server.get("\(path)")
      #expect(try await server.get("0").cacheResult?.outcome == .hit)
      #expect(memory.size <= 20_000)
    }
    #expect(try await server.get("38").cacheResult?.outcome == .hit)
    #expect(try await server.get("1").cacheResult?.outcome == .miss)
    memory.removeAll()
    #expect(memory.count == 0 && memory.size == 0)
  }

  @Test func `a record of exactly the remaining size is kept`() async throws {
    let record = try #require(try await CacheStoreTests.record())
    let roomy = MemoryCache()
    roomy.store(record, for: CacheKey("a"))
    for (room, count) in [(roomy.size, 1), (roomy.size - 1, 0)] {
      let memory = MemoryCache(maximumSize: room)
      memory.store(record, for: CacheKey("a"))
      #expect(memory.count == count)
    }
  }

  @Test func `ten thousand variants of a URL stay within the bound`() async throws {
    let memory = MemoryCache(maximumSize: 1 << 20)
    let server = CachedServer(store: memory)
    server.mock.stub { Response(status: .ok, headers: [.cacheControl: "max-age=60", .vary: "Accept"], body: "a", url: $0.url) }
    for number in 0..<10_000 { try await server.get(headers: [.accept: "a/\(number)"]) }
    #expect(memory.size <= 1 << 20 && memory.count > 100)
    #expect(try await server.get(headers: [.accept: "a/9999"]).cacheResult?.outcome == .hit)
    #expect(try await server.get(headers: [.accept: "a/0"]).cacheResult?.outcome == .miss)
  }

  @Test func `changing Vary fields and huge heads stay within the bound`() async throws {
    let memory = MemoryCache(maximumSize: 100_000)
    let server = CachedServer(store: memory)
    let count = Log<Int>()
    server.answer { request in
      count.append(1)
      var headers: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"a\"", .vary: "X-\(count.elements.count)"]
      try headers.set(name: "X-Long", value: String(repeating: "a", count: count.elements.count * 1000))
      return Response(status: .ok, headers: headers, body: "a", url: request.url)
    }
    for _ in 0..<100 { try await server.get(mode: .reload) }
    #expect(memory.size <= 100_000)
    #expect(try await server.get().cacheResult?.storing == .notStored(.tooLarge))
  }

  @Test(arguments: [Int.min, -1, 0, 1, .max])
  func `the bound can be any number`(size: Int) async throws {
    let memory = MemoryCache(maximumSize: size, maximumEntrySize: .max)
    let server = CachedServer(store: memory)
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    #expect(memory.count == (size == .max ? 2 : 0))
    let folder = TemporaryFolder()
    let disk = try DiskCache(folder.path, maximumSize: size, maximumEntrySize: .max)
    try? await disk.store(try #require(try await Self.record()), for: CacheKey("a"))
    #expect(try await disk.record(for: CacheKey("a")) == nil || size == .max)
  }

  static func record(_ size: Int = 10) async throws -> CacheRecord? {
    let store = EncodingStore()
    let server = CachedServer(store: store)
    server.answer { Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: .data(Data(count: size)), url: $0.url) }
    try await server.get()
    return try store.records.values.max { $0.count < $1.count }.map { try CacheRecord(decoding: $0) }
  }
}

/// Keeps records as bytes, as a store outside of the process does.
final class EncodingStore: CacheStore {
  private let state = Mutex<[String: Data]>([:])
  var records: [String: Data] { state.withLock { $0 } }

  func record(for key: CacheKey) async throws -> CacheRecord? {
    try state.withLock { $0[key.digest] }.map { try CacheRecord(decoding: $0) }
  }
  func store(_ record: CacheRecord, for key: CacheKey) async throws {
    state.withLock { $0[key.digest] = record.encoded() }
  }
  func remove(_ key: CacheKey) async throws { state.withLock { $0[key.digest] = nil } }
}

private struct FailingStore: CacheStore {
  struct Failure: Error {}
  func record(for key: CacheKey) async throws -> CacheRecord? { throw Failure() }
  func store(_ record: CacheRecord, for key: CacheKey) async throws { throw Failure() }
  func remove(_ key: CacheKey) async throws { throw Failure() }
}
