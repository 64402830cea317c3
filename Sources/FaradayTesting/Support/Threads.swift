#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Runs `body` on a new detached thread with a small stack.
package func spawnThread(stackSize: Int = 256 << 10, _ body: @escaping @Sendable () -> Void) throws {
  // Allocated, not initialized: which module the compiler takes its initializer from depends on the order of the files.
  let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
  pthread_attr_init(attributes)
  defer {
    pthread_attr_destroy(attributes)
    attributes.deallocate()
  }
  pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(attributes, stackSize)
  let argument = Unmanaged.passRetained(ThreadBody(run: body))
  #if canImport(Darwin)
  var thread: pthread_t?
  #else
  var thread = pthread_t()
  #endif
  let code = pthread_create(&thread, attributes, runThread, argument.toOpaque())
  guard code == 0 else {
    argument.release()
    throw SocketError(call: "pthread_create", code: code)
  }
}

/// Runs `body` on a thread with the smallest stack of any platform, 512 KiB, and returns its result.
package func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try spawnThread(stackSize: 512 << 10) { continuation.resume(returning: body()) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

#if canImport(Darwin)
private nonisolated func runThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
#else
private nonisolated func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}
#endif

/// The time of a clock in nanoseconds.
enum Nanoseconds {
  /// Monotonic, from an arbitrary start.
  static var monotonic: Int { read(CLOCK_MONOTONIC) }
  /// Since 1970.
  static var unix: Int { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
