import Glibc
import Synchronization

/// Stands in for the system's `socket` in this process, libcurl's calls included, so that a thread can be one that gets none,
/// because the process has as many descriptors as it may. Other threads get theirs.
enum NoDescriptors {
  private static let threads = Mutex<Set<UInt>>([])

  /// This thread gets no socket while it runs, and while it waits for others.
  static func during<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let thread = UInt(pthread_self())
    threads.withLock { _ = $0.insert(thread) }
    defer { threads.withLock { _ = $0.remove(thread) } }
    return try await body()
  }

  fileprivate static var areHere: Bool { threads.withLock { $0.contains(UInt(pthread_self())) } }
}

private typealias Socket = @convention(c) (Int32, Int32, Int32) -> Int32

private let systemSocket = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), "socket"), to: Socket?.self)

@_cdecl("socket")
public nonisolated func openSocket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 {
  guard let systemSocket, !NoDescriptors.areHere else {
    errno = EMFILE
    return -1
  }
  return systemSocket(family, kind, number)
}
