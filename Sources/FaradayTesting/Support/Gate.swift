#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A one-shot latch between threads and tasks: tests and server threads wait for each other with it. It starts closed, and stays
/// open once opened. Thread-safe.
public final class Gate: @unchecked Sendable {
  // Safe to share: `hasOpened` is accessed only under the mutex; the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var hasOpened = false

  /// Creates a closed gate.
  public init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Opens the gate: all waiting threads and tasks continue, and later ones do not wait.
  public func open() {
    pthread_mutex_lock(mutex)
    hasOpened = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Whether the gate is open.
  package var isOpen: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return hasOpened
  }

  /// Blocks the calling thread until the gate is open, for at most a minute. Returns whether it is open.
  @discardableResult
  public func wait() -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += 60
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !hasOpened {
      if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
    }
    return hasOpened
  }

  /// Suspends the task until the gate is open, for at most a minute. Returns whether it is open. No thread of the cooperative pool
  /// is blocked.
  @discardableResult
  public func opened() async -> Bool {
    await withCheckedContinuation { continuation in
      do {
        try spawnThread { continuation.resume(returning: self.wait()) }
      } catch {
        continuation.resume(returning: wait())
      }
    }
  }
}
