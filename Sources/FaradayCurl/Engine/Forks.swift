internal import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Tells a forked process from the one that made an engine: its thread is not there, and its locks may be held for ever.
enum Forks {
  private static let number = Atomic<Int>(0)

  /// Begins to count. Called once.
  static func count() {
    pthread_atfork(nil, nil) { Forks.number.wrappingAdd(1, ordering: .relaxed) }
  }

  /// How often this process, or one that it comes from, was forked since it began to count.
  static var soFar: Int { number.load(ordering: .relaxed) }
}
