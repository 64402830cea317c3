/// The body of a request or a response: empty, bytes, a file, an async sequence, or a value still to be encoded.
///
/// It is an `AsyncSequence` of `Data`. ``collect(upTo:)`` returns the whole body; ``data`` returns it without waiting if it is in
/// memory.
public struct Body: Sendable {
  let storage: Storage

  enum Storage: Sendable {
    case empty
    /// Bytes, and the `Content-Type` of a request that has none of its own.
    case data(Data, type: String?)
    case file(BodyFile)
    case stream(BodyStream)
    case received(ReceivedBody)
    case value(any Sendable)
  }

  /// An empty body.
  public static let empty = Body(storage: .empty)

  /// A body of bytes, which are not copied.
  ///
  /// - Parameter contentType: the `Content-Type` that a connection sends with it, unless the request has one.
  public static func data(_ data: Data, contentType: MediaType? = nil) -> Body {
    Body(storage: data.isEmpty && contentType == nil ? .empty : .data(data, type: contentType?.description))
  }

  /// A form body, `application/x-www-form-urlencoded`: `.form(["user": name, "attempt": 2])`. Sets that `Content-Type` unless the
  /// request has one.
  public static func form(_ items: QueryParameters) -> Body {
    .data(Data(items.description.utf8), contentType: .form)
  }

  /// A body of text in UTF-8, without a `Content-Type`.
  public static func text(_ text: String) -> Body {
    .data(Data(text.utf8))
  }

  /// A file, streamed from disk in constant memory. Its size is read now, and that many bytes are sent: if the file has become
  /// shorter by then, the request fails. Throws ``BodyFile/Unreadable`` if it cannot be opened, is not a regular file, or does not
  /// report its size, as those of `/proc` do not.
  public static func file(_ path: String) throws -> Body {
    Body(storage: .file(try BodyFile(path: path)))
  }

  /// An async sequence of bytes, streamed with backpressure.
  ///
  /// - Parameters:
  ///   - length: the size in bytes, sent as `Content-Length`. If nil, HTTP/1.1 uses the chunked transfer coding. A sequence that
  ///     turns out shorter or longer fails the request with ``TransportError/Code/bodyLengthMismatch``.
  ///   - isReplayable: whether a second iteration gives the same bytes, so that redirects and retries can send it again. False by
  ///     default.
  public static func stream<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, length: Int64? = nil, isReplayable: Bool = false
  ) -> Body where Pieces.Element == Data {
    Body(storage: .stream(BodyStream(pieces, length: length, isReplayable: isReplayable)))
  }

  /// An `Encodable` value that an encoding middleware turns into bytes. If none does, sending throws
  /// ``TransportError/Code/invalidBody``.
  public static func value(_ value: any Encodable & Sendable) -> Body {
    Body(storage: .value(value))
  }

  /// A value for an encoding middleware that is not `Encodable`, such as a multipart form with files.
  public static func unencoded(_ value: any Sendable) -> Body {
    Body(storage: .value(value))
  }

  /// Whether the body is known to have no bytes.
  public var isEmpty: Bool {
    switch storage {
    case .empty: true
    case .data(let data, _): data.isEmpty
    default: false
    }
  }

  /// The length in bytes; nil if it is not known without reading the body.
  public var length: Int64? {
    switch storage {
    case .empty: 0
    case .data(let data, _): Int64(data.count)
    case .file(let file): file.length
    case .stream(let stream): stream.length
    case .received(let body): body.length
    case .value: nil
    }
  }

  /// Whether it can be sent again, for a redirect or a retry: true except for streams that were not declared so.
  public var isReplayable: Bool {
    switch storage {
    case .stream(let stream): stream.isReplayable
    case .received: false
    case .empty, .data, .file, .value: true
    }
  }

  /// The bytes, if they are in memory; nil for a file, a stream and an unencoded value. The body of a buffered response is in
  /// memory for the caller. In a middleware it may not be: call ``Response/collected(for:)`` first.
  public var data: Data? {
    switch storage {
    case .empty: Data()
    case .data(let data, _): data
    case .file, .stream, .received, .value: nil
    }
  }

  /// The `Content-Type` that it was made with; nil if with none.
  package var contentType: String? {
    if case .data(_, let type) = storage { type } else { nil }
  }

  /// The path of a file body, and the number of bytes that are sent of it; nil for other bodies.
  package var file: (path: String, length: Int64)? {
    if case .file(let file) = storage { (file.path, file.length) } else { nil }
  }

  /// The value that is still to be encoded; nil for other bodies.
  public var unencodedValue: (any Sendable)? {
    if case .value(let value) = storage { value } else { nil }
  }

  /// Whether it is read piece by piece: a file, a sequence, or a response's streamed body.
  public var isStreamed: Bool {
    switch storage {
    case .file, .stream, .received: true
    case .empty, .data, .value: false
    }
  }
}

extension Body: ExpressibleByStringLiteral {
  /// A body of text in UTF-8.
  public init(stringLiteral text: String) { self = .text(text) }
}

/// A type-erased async sequence.
struct BodyStream: Sendable {
  let length: Int64?
  let isReplayable: Bool
  let makeReader: @Sendable () -> BodyReader

  init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int64?, isReplayable: Bool)
  where Pieces.Element == Data {
    self.length = length
    self.isReplayable = isReplayable
    makeReader = {
      var iterator = pieces.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }
}
