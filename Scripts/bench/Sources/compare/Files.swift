import Foundation

/// The files that the servers serve, and what the servers need to run. Removed at the end.
struct Files {
  /// The folder of configurations and logs.
  let work: String
  /// The folder that is served, and into which others may be written.
  let served: String

  init() throws {
    let files = FileManager.default
    work = files.temporaryDirectory.path + "/faraday-bench.\(UUID().uuidString.prefix(8))"
    try files.createDirectory(atPath: work, withIntermediateDirectories: true)
    let free = (try? files.attributesOfFileSystem(forPath: "/dev/shm")[.systemFreeSize]) as? NSNumber
    let isInMemory = (free?.int64Value ?? 0) > 1_500_000 << 10
    served = isInMemory ? "/dev/shm/" + (work as NSString).lastPathComponent : work + "/files"
    try files.createDirectory(atPath: served, withIntermediateDirectories: true)
  }

  func remove() {
    for folder in [served, work] {
      // Again, if a file was written meanwhile.
      for _ in 0..<10 where FileManager.default.fileExists(atPath: folder) { try? FileManager.default.removeItem(atPath: folder) }
    }
  }

  func write() throws {
    // Real bytes: a sparse file is sent from one page of zeros, which is in the cache as no body from a network ever is.
    try write("1g", size: 1 << 30, from: "/dev/urandom")
    for (name, size) in [("256m", 256 << 20), ("50m", 50 << 20), ("16k", 16 << 10)] {
      try write(name, size: size, from: served + "/1g")
    }
    try writeSparse("zeros", size: 1 << 30)
    try writeLines()
  }

  func writeSparse(_ name: String, size: Int) throws {
    let file = try create(name)
    try file.truncate(atOffset: UInt64(size))
    try file.close()
  }

  private func write(_ name: String, size: Int, from path: String) throws {
    let (source, file) = (try FileHandle(forReadingFrom: URL(fileURLWithPath: path)), try create(name))
    var left = size
    while left > 0, let data = try source.read(upToCount: min(left, 1 << 20)), !data.isEmpty {
      try file.write(contentsOf: data)
      left -= data.count
    }
    try file.close()
  }

  private func writeLines() throws {
    let file = try create("ndjson")
    var (size, number) = (0, 0)
    while size < 256 << 20 {
      var lines = ""
      for _ in 0..<1000 where size + lines.utf8.count < 256 << 20 {
        lines += #"{"level":"info","id":\#(number),"message":"a request was served in \#(number % 97) ms","#
        lines += #""path":"/users/\#(number % 1009)/posts"}"# + "\n"
        number += 1
      }
      try file.write(contentsOf: Data(lines.utf8))
      size += lines.utf8.count
    }
    try file.close()
  }

  private func create(_ name: String) throws -> FileHandle {
    let path = served + "/" + name
    guard FileManager.default.createFile(atPath: path, contents: nil) else { throw Failed("cannot write \(path)") }
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}
