@_spi(Adapters) internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The engine's monotonic clock, in nanoseconds.
enum Clock {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, at most a century.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = withinClocks.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
