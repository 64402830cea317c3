/// The content of a request or a response: nothing, bytes, a file, an async sequence, or a value still to be encoded.
///
/// It is itself an async sequence of `Data`. ``collect(upTo:)`` gives the whole; where that is in memory already,
/// ``data`` has it without waiting.
public struct Body: Sendable {
  let storage: Storage

  enum Storage: Sendable {
    case empty
    /// With what its `Content-Type` is unless the request says otherwise.
    case data(Data, type: String?)
    case file(BodyFile)
    case stream(BodyStream)
    case received(ReceivedBody)
    case value(any Sendable)
  }

  /// No content.
  public static let empty = Body(storage: .empty)

  /// These bytes; they are not copied.
  ///
  /// - Parameter contentType: the `Content-Type` of a request that has none of its own when a connection sends it.
  public static func data(_ data: Data, contentType: MediaType? = nil) -> Body {
    Body(storage: data.isEmpty && contentType == nil ? .empty : .data(data, type: contentType?.description))
  }

  /// The items as `application/x-www-form-urlencoded`, with that `Content-Type` unless the request has one:
  /// `.form(["user": name, "attempt": 2])`.
  public static func form(_ items: QueryParameters) -> Body {
    .data(Data(items.description.utf8), contentType: .form)
  }

  /// The text in UTF-8.
  public static func text(_ text: String) -> Body {
    .data(Data(text.utf8))
  }

  /// The file, read as it is sent, in constant memory. Its size is taken now and is what will be sent: a file that has
  /// shrunk by then fails the request. Throws ``BodyFile/Unreadable`` if there is no such regular file to read, or it does
  /// not say its size, as those of `/proc` do not.
  public static func file(_ path: String) throws -> Body {
    Body(storage: .file(try BodyFile(path: path)))
  }

  /// The pieces of an async sequence, read as they are sent.
  ///
  /// - Parameters:
  ///   - length: the bytes in all. If nil, HTTP/1.1 sends them chunked. A sequence that turns out shorter or longer fails
  ///     the request with ``TransportError/Code/bodyLengthMismatch``.
  ///   - isReplayable: whether iterating it again gives the same bytes.
  public static func stream<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, length: Int64? = nil, isReplayable: Bool = false
  ) -> Body where Pieces.Element == Data {
    Body(storage: .stream(BodyStream(pieces, length: length, isReplayable: isReplayable)))
  }

  /// A value that an encoding middleware will turn into bytes. One that reaches the adapter unencoded is an error.
  public static func value(_ value: any Encodable & Sendable) -> Body {
    Body(storage: .value(value))
  }

  /// A value of a kind that one encoding middleware knows and that is not `Encodable`, such as a form with files.
  public static func unencoded(_ value: any Sendable) -> Body {
    Body(storage: .value(value))
  }

  /// Whether there is no content at all.
  public var isEmpty: Bool {
    switch storage {
    case .empty: true
    case .data(let data, _): data.isEmpty
    default: false
    }
  }

  /// The length in bytes, if it is known without reading it.
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

  /// Whether it can be sent again, after a redirect or for another attempt.
  public var isReplayable: Bool {
    switch storage {
    case .stream(let stream): stream.isReplayable
    case .received: false
    case .empty, .data, .file, .value: true
    }
  }

  /// The bytes, if they are all in memory; nil for a file, a stream and an unencoded value. The body of a buffered
  /// response is in memory for the caller; within a middleware only a small one is, so ask for ``Response/collected(for:)`` first.
  public var data: Data? {
    switch storage {
    case .empty: Data()
    case .data(let data, _): data
    case .file, .stream, .received, .value: nil
    }
  }

  /// The `Content-Type` that goes with it, if it was made with one.
  package var contentType: String? {
    if case .data(_, let type) = storage { type } else { nil }
  }

  /// The file, if that is what this is, and how much of it.
  package var file: (path: String, length: Int64)? {
    if case .file(let file) = storage { (file.path, file.length) } else { nil }
  }

  /// The value that is still to be encoded, if that is what this is.
  public var unencodedValue: (any Sendable)? {
    if case .value(let value) = storage { value } else { nil }
  }

  /// Whether it is read piece by piece: a file or a stream.
  public var isStreamed: Bool {
    switch storage {
    case .file, .stream, .received: true
    case .empty, .data, .value: false
    }
  }
}

extension Body: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .text(text) }
}

/// An async sequence of any type, erased.
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
