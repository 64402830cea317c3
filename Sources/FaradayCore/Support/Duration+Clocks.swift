extension Duration {
  /// The duration clamped to the range from zero to a century: clocks, and nanoseconds in 64 bits, overflow some centuries beyond.
  package var withinClocks: Duration { min(max(.zero, self), .seconds(3_155_760_000)) }
}
