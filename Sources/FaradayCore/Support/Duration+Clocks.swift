extension Duration {
  /// The duration clamped to the range from zero to a century: clocks, and nanoseconds in 64 bits, overflow after some
  /// centuries.
  package var withinClocks: Duration { min(max(.zero, self), .seconds(3_155_760_000)) }

  /// A number of seconds, clamped to the range from zero to a century; NaN is zero.
  package static func clamped(seconds: Double) -> Duration {
    seconds > 0 ? .seconds(min(seconds, 3_155_760_000)) : .zero
  }

  /// The duration in seconds.
  package var inSeconds: Double { self / .seconds(1) }

  /// The duration times the factor, clamped as ``withinClocks``.
  package func scaled(by factor: Double) -> Duration { .clamped(seconds: withinClocks.inSeconds * factor) }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that returns the time since this call.
  package func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
