#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// How deep the closures of `flatMap` stand within one another on this thread.
///
/// A loop that is written as a function whose `flatMap` calls it again goes one deeper with each promise that is settled already. So
/// that it does not fill the stack, a closure below a limit waits until those above it have returned.
final class Nesting {
  private static let limit = 64

  private var depth = 0
  private var waiting: [Step] = []

  /// Runs the step here, or later on this thread if it stands too deep. Gives what is to be done next.
  func run(_ step: @escaping @Sendable () -> [Step]) -> [Step] {
    guard depth < Self.limit else {
      waiting.append(Step { Nesting.current.run(step) })
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

  /// This thread's; a new one each time if the system has no place for it, which leaves the stack as deep as it gets.
  static var current: Nesting {
    guard let key else { return Nesting() }
    if let kept = pthread_getspecific(key) { return Unmanaged<Nesting>.fromOpaque(kept).takeUnretainedValue() }
    let new = Unmanaged.passRetained(Nesting())
    return pthread_setspecific(key, new.toOpaque()) == 0 ? new.takeUnretainedValue() : new.takeRetainedValue()
  }

  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    #if canImport(Darwin)
    let failure = pthread_key_create(&key) { Unmanaged<Nesting>.fromOpaque($0).release() }
    #else
    let failure = pthread_key_create(&key) { kept in
      if let kept { Unmanaged<Nesting>.fromOpaque(kept).release() }
    }
    #endif
    return failure == 0 ? key : nil
  }()
}
