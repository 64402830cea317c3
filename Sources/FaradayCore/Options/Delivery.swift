/// How a response's body reaches the caller, unless ``Options/onChunk`` is set. ``Connection`` sees to it, above all middleware: one
/// that changes it, or a callback of responses, for the layers below changes nothing for the caller.
public enum Delivery: Sendable, Hashable {
  /// The call returns when the body is complete; over ``Options/maximumBodySize`` it fails.
  case buffered
  /// The call returns at the head; the body is a sequence, read once. A consumer that stops reading stops the server: over
  /// libcurl at most about 2 MiB wait for it. A body that is dropped half-read gives its connection up.
  case streamed
}

/// What a chunk callback wants to happen next.
public enum Flow: Sendable, Hashable {
  case `continue`
  /// Ends the transfer: the call throws `CancellationError`.
  case cancel
}

/// Called with each piece of the response body as it arrives, without a copy: the bytes are gone when it returns. Over libcurl that
/// is on the engine's thread, which waits for it meanwhile; over others, for what had come before, and where a middleware has put
/// itself between, it may be in the task that sent the request. One HTTP/1.1 chunk is never merged with the next. An error it throws
/// ends the transfer and is what the call throws.
public typealias ChunkHandler = @Sendable (_ bytes: RawSpan) throws -> Flow

/// Called with the response's head, before its body, in the task that sent the request. An error it throws ends the transfer and is
/// what the call throws.
public typealias HeadHandler = @Sendable (_ head: HTTPResponse) throws -> Void

/// Called with each 1xx response before the final one, on the engine's thread.
public typealias InformationalHandler = @Sendable (_ head: HTTPResponse) -> Void

/// Called as bytes move: those of a request on the engine's thread, those of a response as they are read, or where a ``ChunkHandler``
/// is called.
public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void

/// How far an upload or a download is.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes of body so far: sent, or received and decoded.
  public var bytes: Int64
  /// Bytes in all, if known before the end.
  public var total: Int64?

  public init(bytes: Int64, total: Int64?) {
    self.bytes = bytes
    self.total = total
  }

  /// From 0 to 1; nil while the total is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return total > 0 ? Double(bytes) / Double(total) : 1
  }
}
