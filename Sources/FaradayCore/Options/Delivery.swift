/// How a response's body is delivered to the caller: buffered or streamed. ``Options/onChunk`` takes precedence.
///
/// ``Connection`` delivers the body above all middleware: a middleware that changes this option does not affect the caller.
public enum Delivery: Sendable, Hashable {
  /// The call returns when the body is complete. A body larger than ``Options/maximumBodySize`` is an error.
  case buffered
  /// The call returns at the head; the body is an async sequence that can be read once, with backpressure: a reader that pauses
  /// slows the server down, and over libcurl at most about 2 MiB are buffered. Dropping a body before its end closes its
  /// connection.
  case streamed
}

/// The result of a ``ChunkHandler``: whether the transfer continues.
public enum Flow: Sendable, Hashable {
  /// Continues with the next piece.
  case `continue`
  /// Cancels the transfer: the call throws `CancellationError`.
  case cancel
}

/// A callback for each piece of the response body as it arrives, without a copy. The bytes are valid until the callback
/// returns.
///
/// Over libcurl the engine's thread calls it, and is blocked until it returns. The task that sent the request may call it over
/// other adapters, for bytes that arrived before, and if a middleware replaces the body. One HTTP/1.1 chunk is never merged
/// with the next. An error that the callback throws ends the transfer, and the request throws it.
public typealias ChunkHandler = @Sendable (_ bytes: RawSpan) throws -> Flow

/// A callback for the response's head, before the body, in the task that sent the request. An error that the callback throws
/// ends the transfer, and the request throws it.
public typealias HeadHandler = @Sendable (_ head: HTTPResponse) throws -> Void

/// A callback for each informational (1xx) response before the final one, such as 103 Early Hints. The engine's thread calls
/// it, and is blocked until it returns.
public typealias InformationalHandler = @Sendable (_ head: HTTPResponse) -> Void

/// A callback for the progress of an upload or download. For uploads the engine's thread calls it. For downloads it is called
/// where the body is read, or where a ``ChunkHandler`` is called.
public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void

/// The progress of an upload or a download, in bytes.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes of the body so far: sent, or received and decoded.
  public var bytes: Int64
  /// The size of the body, if it is known in advance.
  public var total: Int64?

  /// A number of bytes, and the total if it is known.
  public init(bytes: Int64, total: Int64?) {
    self.bytes = bytes
    self.total = total
  }

  /// The completed fraction, from 0 to 1; nil if the total is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? Double(bytes) / Double(total) : 1
  }
}

/// A step of an exchange, for debugging: bytes that are sent or received, or a message of the transport. An event contains
/// credentials and bodies: ``Secrets`` do not redact it.
public struct TraceEvent: Sendable {
  /// The kind of a step.
  public enum Kind: Sendable, Hashable {
    /// A message of the transport about lookups, connections or TLS.
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

  /// The kind of the step.
  public let kind: Kind
  /// The bytes.
  public let bytes: Data

  /// An event.
  @_spi(Adapters) public init(_ kind: Kind, _ bytes: Data) {
    self.kind = kind
    self.bytes = bytes
  }
}

/// Receives ``TraceEvent``s in order, on the adapter's thread. The handler must not block.
public typealias TraceHandler = @Sendable (TraceEvent) -> Void

/// Receives the bytes of a response's head, on the adapter's thread. The handler must not block.
public typealias RawHeadHandler = @Sendable (Data) -> Void

/// Returns the trailers of a request's body, after the body was sent. Called on the adapter's thread. The closure must not
/// block.
public typealias RequestTrailers = @Sendable () -> HTTPFields
