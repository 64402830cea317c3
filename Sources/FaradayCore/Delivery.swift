/// How a response's body reaches the caller, unless ``Options/onChunk`` is set.
public enum Delivery: Sendable, Hashable {
  /// `send` returns when the body is complete; over ``Options/maximumBodySize`` it fails.
  case buffered
  /// `send` returns at the head; the body is a sequence, read once. A consumer that stops reading stops the server: over
  /// libcurl at most about 2 MiB wait for it. A body that is dropped half-read gives its connection up.
  case streamed
}

/// What a chunk callback wants to happen next.
public enum Flow: Sendable, Hashable {
  case `continue`
  /// Ends the transfer: `send` throws `CancellationError`.
  case cancel
}

/// Called with each piece of the response body as it arrives, without a copy: the bytes are gone when it returns. Over libcurl that
/// is on the engine's thread, which waits for it meanwhile; over others it may be in the task that sent the request. One HTTP/1.1
/// chunk is never merged with the next. An error it throws ends the transfer and is what `send` throws.
public typealias ChunkHandler = @Sendable (_ bytes: RawSpan) throws -> Flow

/// Called at the end of the response's head, before the first piece of its body, where a ``ChunkHandler`` is called. An error it
/// throws ends the transfer and is what `send` throws.
public typealias HeadHandler = @Sendable (_ head: HTTPResponse) throws -> Void

/// Called with each 1xx response before the final one, on the engine's thread.
public typealias InformationalHandler = @Sendable (_ head: HTTPResponse) -> Void

/// Called as bytes move: on the engine's thread, or, over others than libcurl, as the bytes of a response are read.
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
