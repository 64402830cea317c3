/// A server-sent event (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The type, from the `event` field: `message` if the field is missing or empty.
  public var type: String
  /// The data: the values of all `data` fields of the event, joined by line feeds. Invalid UTF-8 is replaced with U+FFFD.
  public var data: String
  /// The last event ID: from this event, or from an earlier event if this event has no `id` field. Empty if there was none. A
  /// later request that sends it as `Last-Event-ID` gets the events after this one, if the server stores them.
  public var id: String

  /// Creates an event; by default with the type `message` and without an ID.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
