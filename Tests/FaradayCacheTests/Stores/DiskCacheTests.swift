import Faraday
import FaradayCache
import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

@Suite struct DiskCacheTests {
  private let folder = TemporaryFolder()

  @Test func `a second cache in the same folder finds the stored responses`() async throws {
    let first = CachedServer(store: try DiskCache(folder.path + "/deep/er"))
    first.answer([.cacheControl: "max-age=60"])
    try await first.get()
    let second = CachedServer(store: try DiskCache(folder.path + "/deep/er"))
    #expect(try await second.look() == "body 1, hit")
  }

  @Test func `folders have mode 0700 and files 0600, and no name shows a URL or a credential`() async throws {
    let server = CachedServer(store: try DiskCache(folder.path))
    server.answer([.cacheControl: "max-age=60"])
    try await server.get("secret", headers: [.authorization: "hidden"])
    let files = folder.files
    #expect(files.count == 2 && !files.joined().contains("secret"))
    for file in files {
      #expect(try folder.mode(file) == 0o600)
      #expect(try folder.mode((file as NSString).deletingLastPathComponent) == 0o700)
      #expect(!String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self).contains("hidden"))
    }
    #expect(try folder.mode(folder.path) == 0o700)
  }

  @Test func `a truncated, empty or corrupt file is ignored and removed`() async throws {
    let store = try DiskCache(folder.path)
    let record = try #require(try await CacheStoreTests.record(1000))
    let key = CacheKey("a")
    for length in [0, 1, 23, 24, 500, record.encoded().count - 1] {
      try await store.store(record, for: key)
      let file = try #require(folder.files.first)
      try record.encoded().prefix(length).write(to: URL(fileURLWithPath: file))
      #expect(try await store.record(for: key) == nil && folder.files.isEmpty)
    }
    try await store.store(record, for: key)
    var zeros = record.encoded()
    zeros.replaceSubrange(512..<1024, with: Data(count: 512))
    zeros[900] = 1
    try zeros.write(to: URL(fileURLWithPath: try #require(folder.files.first)))
    #expect(try await store.record(for: key) == nil && folder.files.isEmpty)
  }

  @Test func `the least recently used record is removed when the folder is full`() async throws {
    let store = try DiskCache(folder.path, maximumSize: 100_000)
    let record = try #require(try await CacheStoreTests.record(9_000))
    try await store.store(record, for: CacheKey("used"))
    let used = try #require(folder.files.first)
    try await store.store(record, for: CacheKey("unused"))
    for file in folder.files { try folder.setAge(file == used ? 1000 : 500, of: file) }
    #expect(try await store.record(for: CacheKey("used")) != nil)
    for number in 0..<30 {
      try await store.store(record, for: CacheKey("\(number)"))
      // Looked at after each of them, as one is more than a sixteenth.
      #expect(folder.files.count <= 11)
    }
    #expect(try await store.record(for: CacheKey("unused")) == nil)
    #expect(try await store.record(for: CacheKey("29")) != nil)
    try await store.removeAll()
    #expect(folder.files.isEmpty)
  }

  @Test func `a read marks a record as used, once a minute`() async throws {
    let store = try DiskCache(folder.path)
    try await store.store(try #require(try await CacheStoreTests.record()), for: CacheKey("a"))
    let file = try #require(folder.files.first)
    for (age, isRenewed) in [(1000.0, true), (40, false)] {
      try folder.setAge(age, of: file)
      _ = try await store.record(for: CacheKey("a"))
      let modified = try #require(try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date)
      // The bound lies in the middle: a machine may be slow.
      #expect((modified.timeIntervalSinceNow > -age + 20) == isRenewed)
    }
  }

  @Test func `temporary files of dead writers are removed, and those of live writers stay`() async throws {
    let record = try #require(try await CacheStoreTests.record())
    try await DiskCache(folder.path).store(record, for: CacheKey("a"))
    let shard = (try #require(folder.files.first) as NSString).deletingLastPathComponent
    for (name, age) in [("aa.old", 3600.0), ("bb.new", 1)] {
      try Data(count: 9).write(to: URL(fileURLWithPath: shard + "/" + name))
      try folder.setAge(age, of: shard + "/" + name)
    }
    // The first write of a cache makes it look at existing files.
    let later = try DiskCache(folder.path)
    try await later.store(record, for: CacheKey("b"))
    #expect(folder.files.filter { $0.contains(".old") }.isEmpty && folder.files.filter { $0.contains(".new") }.count == 1)
  }

  @Test func `removing everything removes temporary files too, and keeps foreign files`() async throws {
    let store = try DiskCache(folder.path)
    try await store.store(try #require(try await CacheStoreTests.record()), for: CacheKey("a"))
    let shard = (try #require(folder.files.first) as NSString).deletingLastPathComponent
    try Data(count: 9).write(to: URL(fileURLWithPath: shard + "/aa.new"))
    for name in ["abc", "zz"] {
      try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
      try Data(count: 9).write(to: URL(fileURLWithPath: folder.path + "/" + name + "/file"))
    }
    try await store.removeAll()
    #expect(folder.files.map { $0.dropFirst(folder.path.count) }.sorted() == ["/abc/file", "/zz/file"])
  }

  @Test func `a file or another user's folder cannot be the cache folder`() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path))
    let error = #expect(throws: StoreError.self) { try DiskCache(folder.path) }
    #expect(error?.reason == .cache("it is not a folder"))
    guard geteuid() == 0 else { return }
    try FileManager.default.removeItem(atPath: folder.path)
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    #expect(chown(folder.path, 12345, 12345) == 0)
    #expect(throws: StoreError.self) { try DiskCache(folder.path) }
  }

  @Test(arguments: ["", "\0", "/dev/null/a", "/proc/nowhere/a"])
  func `a folder that cannot be created is an error`(path: String) {
    #expect(throws: StoreError.self) { try DiskCache(path) }
  }

  @Test func `a folder that others can write to is refused`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    #expect(throws: StoreError.self) { try DiskCache(folder.path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    #expect(throws: Never.self) { try DiskCache(folder.path) }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a folder behind another user's symbolic link is refused`() throws {
    let target = TemporaryFolder()
    _ = try DiskCache(target.path)
    try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target.path)
    #expect(throws: Never.self) { try DiskCache(folder.path) }
    #expect(lchown(folder.path, 12345, 12345) == 0)
    for path in [folder.path, folder.path + "/"] { #expect(throws: StoreError.self) { try DiskCache(path) } }
  }

  @Test func `a folder that disappears fails no request`() async throws {
    let server = CachedServer(store: try DiskCache(folder.path))
    server.answer([.cacheControl: "max-age=60"])
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(try await server.look() == "body 1, miss, stored" || server.count == 1)
    try FileManager.default.removeItem(atPath: folder.path)
    try Data().write(to: URL(fileURLWithPath: folder.path))
    #expect(try await server.look() == "body 2, miss, not stored (the store failed)")
  }

  // MARK: killed writers

  /// `FARADAY_CACHE_KILLS=200` for the whole.
  @Test func `records are complete and correct whenever two writers are killed`() async throws {
    let kills = ProcessInfo.processInfo.environment["FARADAY_CACHE_KILLS"].flatMap { Int($0) } ?? 20
    let program = try BuiltProduct.named("cache-writer").path
    var generator = SeededGenerator(seed: 9111)
    var (read, missing) = (0, 0)
    for _ in 0..<kills {
      let writers = try (0..<2).map { _ in try ChildProcess(program, [folder.path, "40"]) }
      for writer in writers {
        // A byte is a record that was stored: after some of them it is in the midst of another.
        var left = Int.random(in: 1...30, using: &generator)
        while left > 0 {
          let count = await writer.next().count
          try #require(count > 0)
          left -= count
        }
        for _ in 0..<Int.random(in: 0...20_000, using: &generator) { _ = generator.next() }
        writer.signal(9)
      }
      for writer in writers { #expect(await writer.ended() == -1) }
      let connection = Connection(
        adapter: MockAdapter(),
        middleware: [.cache(in: try DiskCache(folder.path, maximumSize: 4 << 20, maximumEntrySize: 1 << 20))])
      for number in 0..<40 {
        let response = try await connection.get("http://host/\(number)") { $0.options.cache = .onlyIfCached }
        guard response.status == .ok else {
          missing += 1
          continue
        }
        read += 1
        let body = try await response.body.collect()
        #expect(StoredBodies.isRight(body, number: UInt32(number)) && response.headers[.contentLength] == "\(body.count)")
      }
    }
    #expect(read > kills && folder.files.count < 1000)
    print("\(kills) kills of two writers: \(read) responses read, all right; \(missing) not there")
  }
}

/// The records that `cache-writer` stores: a random number with the number of the URL, and bytes derived from it.
enum StoredBodies {
  static func isRight(_ body: Data, number: UInt32) -> Bool {
    guard body.count >= 8, body.count % 8 == 0 else { return false }
    return body.withUnsafeBytes { bytes in
      let first = bytes.loadUnaligned(as: UInt64.self)
      guard UInt32(truncatingIfNeeded: first) == number, body.count / 8 == 1 + Int(UInt32(first >> 32) % 25_000) else {
        return false
      }
      var state = first
      for offset in stride(from: 8, to: bytes.count, by: 8) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        guard bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == state else { return false }
      }
      return true
    }
  }
}
