/// A server-sent event (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The type, from the `event` field: `message` if the server sends none, or an empty one.
  public var type: String
  /// The data: the values of all `data` fields of the event, joined by line feeds. Invalid UTF-8 is U+FFFD.
  public var data: String
  /// The last event ID: that of this event, or of an event before it if this one has no `id` field; empty if there was none. A
  /// later request that has it as `Last-Event-ID` gets the events behind this one, if the server keeps them.
  public var id: String

  /// An event; without type and ID unless given.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
