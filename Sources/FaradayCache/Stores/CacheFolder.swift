internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// The files of a ``DiskCache``: named by hashes, in 256 folders by the first two digits. All calls block.
struct CacheFolder: Sendable {
  private let path: String
  /// A temporary file that is older has lost its writer.
  private static let temporaryLifetime = 600

  init(_ path: String) throws {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0) else { throw DiskCacheError(path: path, reason: "it is not a path") }
    try Self.make(path)
    var status = stat()
    // Who owns a link decides whose folder it is: in `/tmp` it might be any of this user's.
    var name = Substring(path)
    while name.utf8.count > 1, name.hasSuffix("/") { name.removeLast() }
    guard lstat(String(name), &status) == 0 else { throw Self.failure(path) }
    guard status.st_mode & S_IFMT != S_IFLNK || status.st_uid == geteuid() || status.st_uid == 0 else {
      throw DiskCacheError(path: path, reason: "the symbolic link belongs to another user")
    }
    guard stat(path, &status) == 0 else { throw Self.failure(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw DiskCacheError(path: path, reason: "it is not a folder") }
    // Who may write there may give this process any response.
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw DiskCacheError(path: path, reason: "the folder belongs to another user, or others may write to it")
    }
  }

  /// Nil if there is none.
  func read(_ name: String, limit: Int) throws -> Data? {
    let file = file(name)
    let data: Data
    do { data = try PrivateFile.read(file, limit: limit) } catch {
      guard !error.isMissing else { return nil }
      throw DiskCacheError(path: path, reason: error.reason)
    }
    // Once a minute is enough to tell what is used.
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
      throw DiskCacheError(path: path, reason: failure.reason)
    }
  }

  func remove(_ name: String) { unlink(file(name)) }

  /// Removes temporary files without a writer; and if the rest takes more than the limit, the oldest until it takes seven eighths of it.
  /// With a negative limit it removes everything.
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
        // Another process may be writing it.
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
      // `d_name` is a tuple, as long as the system's longest name.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes the folder and those above it.
  private static func make(_ path: String) throws {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    guard errno == ENOENT, !parent.isEmpty else { throw failure(path) }
    try make((path.hasPrefix("/") ? "/" : "") + parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
  }

  private static func failure(_ path: String) -> DiskCacheError {
    DiskCacheError(path: path, reason: String(cString: strerror(errno)))
  }

  private static func modified(_ status: stat) -> Int {
    #if canImport(Darwin)
    status.st_mtimespec.tv_sec
    #else
    status.st_mtim.tv_sec
    #endif
  }
}
