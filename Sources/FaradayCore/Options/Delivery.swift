/// How a response's body is delivered to the caller: buffered or streamed. ``Options/onChunk`` takes precedence.
///
/// ``Connection`` delivers, above all middleware: a middleware that changes the option for the layers below changes nothing for the
/// caller.
public enum Delivery: Sendable, Hashable {
  /// The call returns when the body is complete. A body larger than ``Options/maximumBodySize`` is an error.
  case buffered
  /// The call returns at the head; the body is an async sequence that can be read once, with backpressure: a reader that pauses
  /// slows the server down, and over libcurl at most about 2 MiB are buffered. Dropping a body before its end closes its
  /// connection.
  case streamed
}

/// What a ``ChunkHandler`` returns: whether the transfer goes on.
public enum Flow: Sendable, Hashable {
  /// Goes on with the next piece.
  case `continue`
  /// Cancels the transfer: the call throws `CancellationError`.
  case cancel
}

/// A callback for each piece of the response body as it arrives, without a copy: the bytes are valid until it returns.
///
/// Over libcurl it is called on the engine's thread, which it blocks meanwhile. It may be called in the task that sent the request
/// over other adapters, for bytes that arrived before, and where a middleware replaces the body. One HTTP/1.1 chunk is never merged
/// with the next. An error that it throws ends the transfer, and the call throws it.
public typealias ChunkHandler = @Sendable (_ bytes: RawSpan) throws -> Flow

/// A callback for the response's head, before the body, in the task that sent the request. An error that it throws ends the
/// transfer, and the call throws it.
public typealias HeadHandler = @Sendable (_ head: HTTPResponse) throws -> Void

/// A callback for each informational (1xx) response before the final one, such as 103 Early Hints. It is called on the engine's
/// thread, which it blocks meanwhile.
public typealias InformationalHandler = @Sendable (_ head: HTTPResponse) -> Void

/// A callback for the progress of an upload or download. For uploads it is called on the engine's thread; for downloads where the
/// body is read, or where a ``ChunkHandler`` is called.
public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void

/// The progress of an upload or a download, in bytes.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes of the body so far: sent, or received and decoded.
  public var bytes: Int64
  /// The size of the body, if it is known in advance.
  public var total: Int64?

  /// A progress of so many bytes, of a total if it is known.
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
