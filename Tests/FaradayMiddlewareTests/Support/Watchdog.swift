import Testing

extension Trait where Self == TimeLimitTrait {
  /// The timeout for a test that waits for an event. It is far beyond the needs of a loaded machine.
  static var watchdog: Self { .timeLimit(.minutes(10)) }
}
