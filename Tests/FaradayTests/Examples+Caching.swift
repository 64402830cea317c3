import Faraday
import FaradayCache
import FaradayTesting
import Foundation
import Testing

// The blocks of Swift in the article Caching, each as it stands there; ReadmeTests compares them.

func caching(_ connection: Connection) async throws {
  var cached = connection
  cached.use(.cache())
  let profile = try await cached.get("profile")
  print(profile.cacheResult?.description ?? "no cache")

  let now = try await cached.get("prices") { $0.options.cache = .reload }
  let offline = try await cached.get("prices") { $0.options.cache = .preferCached }
  if case .stale(let reason)? = offline.cacheResult?.outcome {
    print("of \(offline.headers[.age] ?? "?") seconds ago:", reason.rawValue)
  }
  print(now.cacheResult?.storing == .stored)
}

func cachingOnDisk(_ connection: Connection) async throws {
  var cached = connection
  let disk = try DiskCache("/var/cache/example", maximumSize: 1 << 30)
  cached = connection
  cached.use(.cache(in: disk))
}

func conditionalRequests(_ connection: Connection) {
  var cached = connection
  cached.use(.cache(policy: .alwaysRevalidate))
}

protocol KeyValueDatabase: Sendable {
  func get(_ name: String) async throws -> Data?
  func set(_ name: String, _ value: Data) async throws
  func delete(_ name: String) async throws
}

struct SharedStore: CacheStore {
  let database: any KeyValueDatabase
  let maximumEntrySize = 1 << 20

  func record(for key: CacheKey) async throws -> CacheRecord? {
    try await database.get("http:" + key.digest).map { try CacheRecord(decoding: $0) }
  }

  func store(_ record: CacheRecord, for key: CacheKey) async throws {
    try await database.set("http:" + key.digest, record.encoded())
  }

  func remove(_ key: CacheKey) async throws {
    try await database.delete("http:" + key.digest)
  }
}

@Suite struct CachingExampleTests {
  private actor Database: KeyValueDatabase {
    private var values: [String: Data] = [:]
    func get(_ name: String) -> Data? { values[name] }
    func set(_ name: String, _ value: Data) { values[name] = value }
    func delete(_ name: String) { values[name] = nil }
  }

  @Test func `machines of a fleet share cached responses`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/a", headers: [.cacheControl: "max-age=60"], body: "Hello", times: 1)
    let database = Database()
    for outcome in [CacheResult.Outcome.miss, .hit] {
      let connection = try Connection("http://host/", adapter: mock, middleware: [.cache(in: SharedStore(database: database))])
      let response = try await connection.get("a")
      #expect(try await response.body.utf8Text() == "Hello")
      #expect(response.cacheResult?.outcome == outcome)
    }
  }

  @Test func `the example runs`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/profile", headers: [.cacheControl: "max-age=60"], body: "Ada")
    try mock.stub(.get, path: "/prices", headers: [.cacheControl: "max-age=60"], body: "1")
    try await caching(Connection("http://host/", adapter: mock))
    #expect(mock.recorded.count == 2)
  }
}
