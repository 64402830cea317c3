extension Body: AsyncSequence {
  public typealias Element = Data
  public typealias Failure = any Error

  public func makeAsyncIterator() -> AsyncIterator {
    switch storage {
    case .empty: AsyncIterator { nil }
    case .data(let data): AsyncIterator(data)
    case .file(let file): AsyncIterator(file.makeReader())
    case .stream(let stream): AsyncIterator(stream.makeReader())
    case .received(let body): AsyncIterator(body.makeReader())
    case .value(let value): AsyncIterator { throw UnencodedBody(type: type(of: value)) }
    }
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let read: BodyReader

    init(_ read: @escaping BodyReader) { self.read = read }

    init(_ data: Data) {
      var rest: Data? = data
      read = {
        defer { rest = nil }
        return rest
      }
    }

    public mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      try await read()
    }

    public mutating func next() async throws -> Data? {
      try await read()
    }
  }

  /// The whole body. Throws ``BodyTooLarge`` when it is over `limit` bytes, which is before it is read where its length is known, and
  /// whatever reading it throws.
  public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
    if let length, length > limit { throw BodyTooLarge(limit: limit) }
    let (whole, isCut) = try await start(upTo: limit)
    guard !isCut else { throw BodyTooLarge(limit: limit) }
    return whole
  }

  /// The whole body as UTF-8 text; bytes that are not UTF-8 become U+FFFD. Throws as ``collect(upTo:)`` does.
  public func text(upTo limit: Int = 64 << 20) async throws -> String {
    String(decoding: try await collect(upTo: limit), as: UTF8.self)
  }
}

/// Gives the next piece of a body, nil at its end. Runs where its caller runs.
typealias BodyReader = nonisolated(nonsending) () async throws -> Data?

/// A body that is larger than the caller wanted to collect.
public struct BodyTooLarge: Error, Equatable, CustomStringConvertible {
  /// The limit, in bytes.
  public let limit: Int

  public init(limit: Int) { self.limit = limit }

  public var description: String { "the body is larger than the limit of \(limit) bytes" }
}

/// A body that was read before a middleware had turned its value into bytes.
public struct UnencodedBody: Error, CustomStringConvertible {
  /// The type of the value.
  public let type: any Any.Type

  public init(type: any Any.Type) { self.type = type }

  public var description: String {
    "the body is a value of type \(type) that no middleware has encoded; add an encoding middleware"
  }
}
