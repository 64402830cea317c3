internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Detects fork(): in the child process an engine's thread does not exist, and its locks may be held for ever (deadlock).
enum Forks {
  private static let number = Atomic<Int>(0)

  /// Starts to count forks. Called once.
  static func count() {
    pthread_atfork(nil, nil) { Forks.number.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The number of forks from the first process to this one.
  static var soFar: Int { number.load(ordering: .relaxed) }
}
