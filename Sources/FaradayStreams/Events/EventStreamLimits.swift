/// The limits of an event stream: what one line and one event may have, in bytes. They bound the memory that a stream takes.
public struct EventStreamLimits: Sendable, Hashable {
  /// The longest line, without its end: 1 MiB by default. Comments count too.
  public var line: Int
  /// The largest data of one event, with a byte for the end of each `data` line: 8 MiB by default.
  public var event: Int

  /// Limits of a line and of an event's data, in bytes.
  public init(line: Int = 1 << 20, event: Int = 8 << 20) {
    self.line = line
    self.event = event
  }
}
