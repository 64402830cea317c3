import Testing

extension Trait where Self == TimeLimitTrait {
  /// Names a test that waits for an event which never comes. It is far beyond what a loaded machine needs.
  static var watchdog: Self { .timeLimit(.minutes(10)) }
}
