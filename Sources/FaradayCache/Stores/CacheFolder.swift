internal import FaradayCore
internal import FaradaySupport
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The files of a ``DiskCache``: with hashes as names, in 256 folders by the first two digits. All calls block.
struct CacheFolder: Sendable {
  private let path: String
  /// An older temporary file has no writer any more.
  private static let temporaryLifetime = 600

  init(_ path: String) throws {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.cache("the path is empty or contains a NUL character"), path: path)
    }
    try Self.make(path)
    var status = stat()
    // The owner of a link controls its target: in `/tmp` the link could point to any folder of this user.
    var name = Substring(path)
    while name.utf8.count > 1, name.hasSuffix("/") { name.removeLast() }
    guard lstat(String(name), &status) == 0 else { throw Self.failure(path) }
    guard status.st_mode & S_IFMT != S_IFLNK || status.st_uid == geteuid() || status.st_uid == 0 else {
      throw StoreError(.cache("the symbolic link belongs to another user"), path: path)
    }
    guard stat(path, &status) == 0 else { throw Self.failure(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw StoreError(.cache("it is not a folder"), path: path) }
    // Another user with write access could give this process any response.
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw StoreError(.cache("the folder belongs to another user, or others may write to it"), path: path)
    }
  }

  /// Reads a file. Returns nil if there is no file.
  func read(_ name: String, limit: Int) throws -> Data? {
    let file = file(name)
    let data: Data
    do { data = try PrivateFile.read(file, limit: limit) } catch {
      guard !error.isMissing else { return nil }
      throw StoreError(.cache(error.reason), path: path)
    }
    // The modification time is updated at most once a minute, which is sufficient for LRU.
    var status = stat()
    if stat(file, &status) == 0, time(nil) - Self.modified(status) > 60 { utimes(file, nil) }
    return data
  }

  func write(_ data: Data, _ name: String) throws {
    let file = file(name)
    do {
      do { try PrivateFile.write(data, to: file, survivesPowerLoss: false) } catch let failure as PrivateFile.Failure {
        guard failure.isMissing else { throw failure }
        try Self.make(shard(name.prefix(2)))
        try PrivateFile.write(data, to: file, survivesPowerLoss: false)
      }
    } catch let failure as PrivateFile.Failure {
      throw StoreError(.cache(failure.reason), path: path)
    }
  }

  func remove(_ name: String) { unlink(file(name)) }

  /// Removes temporary files without a writer. If the other files exceed the limit, removes the oldest until seven eighths of
  /// the limit remain. With a negative limit it removes all files.
  func sweep(keeping limit: Int) {
    let now = time(nil)
    var files: [(path: String, size: Int, modified: Int)] = []
    var size = 0
    for shard in shards() {
      for name in Self.names(in: shard) {
        let file = shard + "/" + name
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        let modified = Self.modified(status)
        size = size.addingReportingOverflow(Int(status.st_size)).partialValue
        guard name.utf8.contains(UInt8(ascii: ".")) else {
          files.append((file, Int(status.st_size), modified))
          continue
        }
        // Another process may be writing this file.
        guard now - modified > Self.temporaryLifetime || limit < 0 else { continue }
        unlink(file)
        size -= Int(status.st_size)
      }
    }
    guard size > limit else { return }
    let aim = limit < 0 ? -1 : limit - limit / 8
    files.sort { $0.modified < $1.modified }
    for file in files where size > aim {
      unlink(file.path)
      size -= file.size
    }
  }

  private func file(_ name: String) -> String { shard(name.prefix(2)) + "/" + name.dropFirst(2) }
  private func shard(_ digits: Substring) -> String { path + "/" + digits }

  private func shards() -> [String] {
    Self.names(in: path).filter { $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isHexDigit) }.map { path + "/" + $0 }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // `d_name` is a tuple of the maximum name length.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates the folder and its parents.
  private static func make(_ path: String) throws {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    guard errno == ENOENT, !parent.isEmpty else { throw failure(path) }
    try make((path.hasPrefix("/") ? "/" : "") + parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
  }

  private static func failure(_ path: String) -> StoreError {
    StoreError(.cache(String(cString: strerror(errno))), path: path)
  }

  private static func modified(_ status: stat) -> Int {
    #if canImport(Darwin)
    status.st_mtimespec.tv_sec
    #else
    status.st_mtim.tv_sec
    #endif
  }
}
