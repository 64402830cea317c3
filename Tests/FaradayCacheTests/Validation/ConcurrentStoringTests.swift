import Faraday
import FaradayTesting
import Synchronization
import FoundationEssentials
import Testing

@testable import FaradayCache

/// Interactions of two requests for one URL, and of a request and an invalidation.
@Suite struct ConcurrentStoringTests {
  @Test func `an older response that completes later does not replace a newer one`() async throws {
    let server = CachedServer()
    server.answer(times: 1) {
      Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: .stream(Pieces("old")), url: $0.url)
    }
    server.answer([.cacheControl: "max-age=60"])
    let old = try await server.connection().get("a") { $0.options.delivery = .streamed }
    server.advance(by: 1)
    #expect(try await server.look(mode: .reload) == "body 1, miss, stored")
    #expect(try await old.body.utf8Text() == "old")
    #expect(try await server.look() == "body 1, hit")
  }

  @Test func `an invalidation during storing leaves nothing of the URL`() async throws {
    let store = HookedStore()
    let server = CachedServer(store: store)
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"], times: 1)
    server.answer([.cacheControl: "max-age=60", .vary: "Accept-Language"], times: 1)
    server.answer([.cacheControl: "max-age=60", .vary: "Accept"])
    try await server.get(headers: [.accept: "a/a"])
    store.onNextStore { _ = try? await server.send(.delete) }
    try await server.get(headers: [.accept: "b/b"])
    #expect(try await server.get(headers: [.accept: "a/a"]).cacheResult?.outcome == .miss)
  }

  @Test(arguments: [false, true])
  func `an invalidation by another process applies, also to a URL without records`(isOnDisk: Bool) async throws {
    let folder = TemporaryFolder()
    let memory = MemoryCache()
    // Two caches over one store stand for two processes.
    let stores: [any CacheStore] = isOnDisk ? [try DiskCache(folder.path), try DiskCache(folder.path)] : [memory, memory]
    let (reader, writer) = (CachedServer(store: stores[0]), CachedServer(store: stores[1]))
    writer.answer([:])
    reader.answer(times: 1) { request in
      _ = try await writer.send(.put)
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: "old", url: request.url)
    }
    reader.answer([.cacheControl: "max-age=60"])
    #expect(try await reader.look() == "old, miss, not stored (superseded meanwhile)")
    #expect(try await reader.look() == "body 1, miss, stored")
    #expect(try await reader.look() == "body 1, hit")
    _ = try await writer.send(.put)
    #expect(try await reader.get().cacheResult?.outcome == .miss)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `RFC 9111 4.3.4: a validation of an older response does not replace a newer one`(method: HTTPRequest.Method)
    async throws
  {
    let server = CachedServer()
    let old: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
    server.answer(old, times: 1)
    server.answer(times: 1) { request in
      server.advance(by: 1)
      try await server.get(mode: .reload)
      server.advance(by: 1)
      return Response(status: method == .get ? .notModified : .ok, headers: old, url: request.url)
    }
    server.answer([.cacheControl: "max-age=60", .eTag: "\"b\""])
    try await server.get()
    server.advance(by: 60)
    _ = try await server.send(method)
    #expect(try await server.look() == "body 2, hit" && server.count == 3)
  }

  @Test func `an invalidation applies even if the store fails to record it`() async throws {
    let server = CachedServer(store: UnremovingStore())
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    _ = try await server.send(.delete)
    #expect(try await server.look() == "body 3, miss, stored")
  }

  @Test func `an invalidation that the store fails to record applies to a response in progress`() async throws {
    let server = CachedServer(store: UnremovingStore())
    server.answer([.cacheControl: "max-age=60"], times: 1)
    server.answer(times: 1) { request in
      _ = try await server.send(.delete)
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: "old", url: request.url)
    }
    server.answer([.cacheControl: "max-age=60"])
    try await server.get()
    #expect(try await server.look(mode: .reload) == "old, miss, not stored (superseded meanwhile)")
    #expect(try await server.get().cacheResult?.outcome == .miss)
  }

  @Test func `an invalidation that the store drops applies within its process`() async throws {
    let server = CachedServer(store: ForgetfulStore())
    server.answer(times: 1) { request in
      _ = try await server.send(.delete)
      return Response(status: .ok, headers: [.cacheControl: "max-age=60"], body: "old", url: request.url)
    }
    server.answer([.cacheControl: "max-age=60"])
    #expect(try await server.look() == "old, miss, not stored (superseded meanwhile)")
  }

  @Test func `an invalidation by another process during storing leaves nothing of the URL`() async throws {
    let store = HookedStore()
    let (reader, writer) = (CachedServer(store: store), CachedServer(store: store))
    writer.answer([:])
    reader.answer([.cacheControl: "max-age=60"])
    store.onNextStore { _ = try? await writer.send(.delete) }
    #expect(try await reader.look() == "body 1, miss, not stored (superseded meanwhile)")
    #expect(try await reader.get().cacheResult?.outcome == .miss)
  }

  @Test func `the invalidation of a URL that shares a slot removes no other stored response`() async throws {
    func slot(_ path: String) throws -> CacheKey {
      Identity.epochKey(ofNormalized: Identity.normalized(try #require(URL(string: "http://host/" + path))))
    }
    let wanted = try slot("a")
    let other = try #require(try (0..<100_000).lazy.map { "\($0)" }.first { try slot($0) == wanted })
    let server = CachedServer()
    let (german, english): (HTTPFields, HTTPFields) = ([.acceptLanguage: "de"], [.acceptLanguage: "en"])
    server.answer([.cacheControl: "max-age=60", .vary: "Accept-Language"], times: 1)
    server.answer(times: 1) { request in
      _ = try await server.send(.put, other)
      return Response(
        status: .ok, headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"], body: "new", url: request.url)
    }
    server.answer([:])
    #expect(try await server.look(headers: german) == "body 1, miss, stored")
    #expect(try await server.look(headers: english) == "new, miss, not stored (superseded meanwhile)")
    #expect(try await server.look(headers: german) == "body 1, hit")
  }

  @Test(arguments: ["http://B%C3%9CCHER.example:80/a", "http://bücher.example/a", "http://xn--bcher-kva.example/a"])
  func `a URL has one key in all spellings of its host`(text: String) throws {
    #expect(Identity.normalized(try #require(URL(string: text))) == "http://xn--bcher-kva.example/a")
    #expect(Identity.normalized(try #require(URL(string: "http://[FE80::1%25lo]:80"))) == "http://[fe80::1%25lo]/")
  }

  @Test func `invalidations of any number of URLs leave a bounded number of records`() async throws {
    let store = MemoryCache()
    let server = CachedServer(store: store)
    server.answer([:])
    for number in 0..<2000 { _ = try await server.send(.post, "\(number)") }
    #expect(store.count <= Identity.epochCount)
  }
}

/// A store in memory that calls a closure, once, before it stores something.
private final class HookedStore: CacheStore {
  private let store = MemoryCache()
  private let hook = Mutex<(@Sendable () async -> Void)?>(nil)

  func onNextStore(_ call: @escaping @Sendable () async -> Void) { hook.withLock { $0 = call } }

  func record(for key: CacheKey) async throws -> CacheRecord? { store.record(for: key) }
  func store(_ record: CacheRecord, for key: CacheKey) async throws {
    let call = hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    await call?()
    store.store(record, for: key)
  }
  func remove(_ key: CacheKey) async throws { store.remove(key) }
}

/// A store that cannot remove anything.
private struct UnremovingStore: CacheStore {
  struct Failure: Error {}
  let memory = MemoryCache()
  func record(for key: CacheKey) -> CacheRecord? { memory.record(for: key) }
  func store(_ record: CacheRecord, for key: CacheKey) { memory.store(record, for: key) }
  func remove(_ key: CacheKey) throws { throw Failure() }
}

/// A store that loses the records of invalidations.
private struct ForgetfulStore: CacheStore {
  let memory = MemoryCache()
  func record(for key: CacheKey) -> CacheRecord? { memory.record(for: key) }
  func store(_ record: CacheRecord, for key: CacheKey) {
    if !key.text.hasPrefix("invalidated ") { memory.store(record, for: key) }
  }
  func remove(_ key: CacheKey) { memory.remove(key) }
}
