#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// A trampoline for the closures of `flatMap`, which limits their nesting on a thread.
///
/// In a recursive function with `flatMap`, each promise that is settled already adds one nesting level. Beyond the limit, a
/// closure is deferred until the outer closures have returned, so that the stack does not overflow.
final class Trampoline {
  private static let limit = 64

  private var depth = 0
  private var waiting: [Step] = []

  /// Runs the step now, or defers it if it is nested too deep. Returns the steps to run next.
  func run(_ step: @escaping @Sendable () -> [Step]) -> [Step] {
    guard depth < Self.limit else {
      waiting.append(Step { Trampoline.current.run(step) })
      return []
    }
    depth += 1
    var next = step()
    depth -= 1
    guard depth == 0, !waiting.isEmpty else { return next }
    next += waiting
    waiting = []
    return next
  }

  /// The current thread's trampoline. If no thread-local storage is left, each call returns a new trampoline, and nesting is
  /// unlimited.
  static var current: Trampoline {
    guard let key else { return Trampoline() }
    if let kept = pthread_getspecific(key) { return Unmanaged<Trampoline>.fromOpaque(kept).takeUnretainedValue() }
    let new = Unmanaged.passRetained(Trampoline())
    return pthread_setspecific(key, new.toOpaque()) == 0 ? new.takeUnretainedValue() : new.takeRetainedValue()
  }

  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    #if canImport(Darwin)
    let failure = pthread_key_create(&key) { Unmanaged<Trampoline>.fromOpaque($0).release() }
    #else
    let failure = pthread_key_create(&key) { kept in
      if let kept { Unmanaged<Trampoline>.fromOpaque(kept).release() }
    }
    #endif
    return failure == 0 ? key : nil
  }()
}
