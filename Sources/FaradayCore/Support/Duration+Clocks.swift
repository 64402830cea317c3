extension Duration {
  /// From zero to a century: for ever, as far as a program goes. Clocks overflow some centuries beyond, and so do numbers of nanoseconds.
  package var withinClocks: Duration { min(max(.zero, self), .seconds(3_155_760_000)) }
}
