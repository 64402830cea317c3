/// The body of a request or a response: empty, bytes, a file, an async sequence, or a value still to be encoded.
///
/// It is an `AsyncSequence` of `Data`. ``collect(upTo:)`` returns the whole body; ``data`` returns it without waiting if it is
/// in memory.
public struct Body: Sendable {
  let storage: Storage

  enum Storage: Sendable {
    case empty
    /// Bytes, and a `Content-Type` for a request without one.
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

  /// A form body, `application/x-www-form-urlencoded`: `.form(["user": name, "attempt": 2])`. Sets that `Content-Type` unless
  /// the request has one.
  public static func form(_ items: QueryParameters) -> Body {
    .data(Data(items.description.utf8), contentType: .form)
  }

  /// A body of text in UTF-8, without a `Content-Type`.
  public static func text(_ text: String) -> Body {
    .data(Data(text.utf8))
  }

  /// A file, named by its path or file URL, streamed from disk in constant memory. Its size is read now, and that many bytes
  /// are sent: if the file becomes shorter before it is sent, the request fails. Throws ``BodyError`` if it cannot be opened,
  /// is not a regular file, or does not report its size (files under `/proc`).
  public static func file(_ file: some FileReference) throws -> Body {
    Body(storage: .file(try BodyFile(path: file.filePath)))
  }

  /// A range of a file's bytes, for the rest of an upload or a part of it: `try .file(path, range: offset...)`.
  ///
  /// Works like ``file(_:)``. Throws ``BodyError`` also for a range that is not within the file's size.
  public static func file(_ file: some FileReference, range: some RangeExpression<Int64>) throws -> Body {
    Body(storage: .file(try BodyFile(path: file.filePath, range: range)))
  }

  /// An async sequence of bytes, streamed with backpressure.
  ///
  /// - Parameters:
  ///   - length: the size in bytes, sent as `Content-Length`. If nil, HTTP/1.1 uses the chunked transfer coding. A shorter or
  ///     longer sequence fails the request with ``TransportError/Code/bodyLengthMismatch``.
  ///   - isReplayable: whether a second iteration returns the same bytes, so that redirects and retries can send it again.
  ///     False by default.
  public static func stream<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, length: Int64? = nil, isReplayable: Bool = false
  ) -> Body where Pieces.Element == Data {
    .reading(length: length, isReplayable: isReplayable) {
      var iterator = pieces.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }

  /// A body that a closure reads.
  ///
  /// - Parameter makeReader: called for each reading. The returned reader is released when the reading ends.
  package static func reading(
    length: Int64?, isReplayable: Bool = false, _ makeReader: @escaping @Sendable () -> BodyReader
  ) -> Body {
    Body(storage: .stream(BodyStream(length: length, isReplayable: isReplayable, makeReader: makeReader)))
  }

  /// An `Encodable` value that an encoding middleware encodes: `JSONEncoding`, `FormEncoding` or `Multipart`. Without one,
  /// sending throws ``TransportError/Code/invalidBody``.
  public static func encodable(_ value: any Encodable & Sendable) -> Body {
    Body(storage: .value(value))
  }

  /// A value for an encoding middleware that is not `Encodable`, such as a multipart form with files.
  package static func unencoded(_ value: any Sendable) -> Body {
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

  /// Whether the body can be sent again, for a redirect or a retry. False for streams that were not declared replayable, and
  /// for received bodies.
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

  /// The `Content-Type` that the body was created with, if any.
  package var contentType: String? {
    if case .data(_, let type) = storage { type } else { nil }
  }

  /// The path of a body that is a whole file, and the number of bytes to send; nil for other bodies.
  package var file: (path: String, length: Int64)? {
    if case .file(let file) = storage, !file.isRange { (file.path, file.length) } else { nil }
  }

  /// Whether the body is a range of a file.
  package var isFileRange: Bool {
    if case .file(let file) = storage { file.isRange } else { false }
  }

  /// The value that is not encoded yet; nil for other bodies.
  public var unencodedValue: (any Sendable)? {
    if case .value(let value) = storage { value } else { nil }
  }

  /// Whether the body is read piece by piece: a file, a sequence, or a response's streamed body.
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
}
