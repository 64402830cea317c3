/// A step of an exchange, for debugging: what is sent and received, and what the transport says about it. It holds everything,
/// credentials and bodies included: ``Secrets`` redact nothing of it.
public struct TraceEvent: Sendable {
  /// What the bytes are.
  public enum Kind: Sendable, Hashable {
    /// The transport's own words: lookups, connections, TLS.
    case text
    /// A header that was sent, to a server or proxy.
    case headerOut
    /// A line of a header that was received.
    case headerIn
    /// A piece of a body that was sent, with its framing.
    case dataOut
    /// A piece of a body that was received, with its framing.
    case dataIn
  }

  /// What the bytes are.
  public let kind: Kind
  /// The bytes.
  public let bytes: Data

  /// An event.
  public init(_ kind: Kind, _ bytes: Data) {
    self.kind = kind
    self.bytes = bytes
  }
}

/// Receives ``TraceEvent``s in order, on the adapter's thread: it must not block.
public typealias TraceHandler = @Sendable (TraceEvent) -> Void

/// Receives the bytes of a response's head, on the adapter's thread: it must not block.
public typealias RawHeadHandler = @Sendable (Data) -> Void

/// Returns the trailers of a request's body, once that has been sent. Called on the adapter's thread: it must not block.
public typealias RequestTrailers = @Sendable () -> HTTPFields
