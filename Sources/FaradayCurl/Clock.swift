#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The engine's clock: monotonic, in nanoseconds.
enum Clock {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Duration {
  /// Whole nanoseconds, at most a century: a timeout longer than that is none.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(max(0, seconds), 3_155_760_000) * 1_000_000_000 + max(0, attoseconds / 1_000_000_000)
  }
}
