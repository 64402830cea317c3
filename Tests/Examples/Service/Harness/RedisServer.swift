import Foundation

/// A Redis on a Unix socket in a folder of its own, without persistence.
public final class RedisServer: Sendable {
  public static let program = Child.installed("redis-server")

  public let folder: URL
  public let child: Child

  /// - Parameter folder: the folder of an earlier Redis, whose socket it takes over; a new one by default.
  public init(in folder: URL? = nil) async throws {
    guard let program = Self.program else { throw CocoaError(.fileNoSuchFile) }
    self.folder = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("job-service-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    child = try Child(
      program,
      [
        "--port", "0", "--unixsocket", self.folder.appendingPathComponent("socket").path, "--save", "", "--appendonly", "no",
        "--maxmemory", "256mb", "--maxmemory-policy", "volatile-lru", "--dir", self.folder.path,
      ], output: self.folder.appendingPathComponent("redis.log"))
    try await eventually { child.text.contains("eady to accept connections") ? true : nil }
  }

  /// The value of `REDIS_URL`.
  public var url: String { "unix:" + folder.appendingPathComponent("socket").path }

  /// Ends it and removes its folder.
  public func remove() async throws {
    try await child.end()
    try FileManager.default.removeItem(at: folder)
  }
}
