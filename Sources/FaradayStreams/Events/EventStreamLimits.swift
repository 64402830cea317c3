/// The limits of an event stream: the sizes of one line and one event, in bytes. They bound the memory that a stream uses.
public struct EventStreamLimits: Sendable, Hashable {
  /// The maximum length of a line, without its end: 1 MiB by default. Comments count too.
  public var line: Int
  /// The maximum size of the data of one event, with one byte for the end of each `data` line: 8 MiB by default.
  public var event: Int

  /// Creates limits of a line and of an event's data, in bytes.
  public init(line: Int = 1 << 20, event: Int = 8 << 20) {
    self.line = line
    self.event = event
  }
}
