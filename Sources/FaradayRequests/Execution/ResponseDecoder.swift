internal import FaradayCoding
public import FaradayCore

/// Decodes a response to a value.
///
///     extension ResponseDecoder<[String]> {
///       static var lines: Self { ResponseDecoder { try await $0.body.utf8Text().split(separator: "\n").map(String.init) } }
///     }
///
/// The decoders `json`, `text`, `data` and `hal` throw ``FaradayCore/StatusError`` for a status other than 2xx, unless the
/// request's ``ResponseValidator`` has accepted the response. Decoding runs off the caller's actor; a decoder can be called
/// concurrently.
public struct ResponseDecoder<Resource: Sendable>: Sendable {
  /// The `Accept` header of requests that have none; nil for no header.
  public let accepts: String?
  private let make: @Sendable (Response) async throws -> Resource

  /// - Parameter make: decodes the response, including reading its body. Its errors are wrapped in
  ///   ``FaradayCoding/BodyDecodingError``, except ``FaradayCoding/BodyDecodingError`` itself, ``FaradayCore/StatusError``,
  ///   ``FaradayCore/TransportError``, `CancellationError` and ``FaradayCore/BodyError``.
  public init(accepting accepts: String? = nil, _ make: @escaping @Sendable (Response) async throws -> Resource) {
    self.accepts = accepts
    self.make = { response in
      do {
        return try await make(response)
      } catch let error {
        switch error {
        case is BodyDecodingError, is StatusError, is TransportError, is CancellationError, is BodyError: throw error
        default: throw BodyDecodingError(error, decoding: Resource.self, of: response)
        }
      }
    }
  }

  /// - Parameter convert: decodes the bytes of the body, read as by ``FaradayCore/Response/data(accepting:upTo:)``. Its errors
  ///   are wrapped in ``FaradayCoding/BodyDecodingError``. Errors of reading the body are thrown unchanged.
  public init(accepting accepts: String? = nil, data convert: @escaping @Sendable (Data) throws -> Resource) {
    self.accepts = accepts
    make = { response in
      let data = try await response.data()
      do { return try convert(data) } catch { throw BodyDecodingError(error, decoding: Resource.self, of: response) }
    }
  }

  fileprivate init(accepting accepts: String? = nil, plain make: @escaping @Sendable (Response) async throws -> Resource) {
    self.accepts = accepts
    self.make = make
  }

  /// Decodes the response. Runs off the caller's actor.
  @concurrent
  public func decode(_ response: Response) async throws -> Resource {
    // Without a statement before the call, Swift 6.3 removes the change of executor.
    try Task.checkCancellation()
    return try await make(response)
  }
}

extension HTTPFields {
  /// Sets the `Accept` field of a decoder if there is none.
  mutating func setAccept<Resource>(for decoder: ResponseDecoder<Resource>) {
    if self[.accept] == nil, let accepted = decoder.accepts { self[.accept] = accepted }
  }
}

extension ResponseDecoder<Void> {
  /// Ignores the body.
  public static var none: Self { ResponseDecoder(plain: { _ in }) }
}

extension ResponseDecoder<Data> {
  /// The bytes of the body, read as by ``FaradayCore/Response/data(accepting:upTo:)``.
  public static var data: Self { ResponseDecoder(data: { $0 }) }
}

extension ResponseDecoder<Response> {
  /// The response itself, to read its body as a stream.
  public static var response: Self { ResponseDecoder(plain: { $0 }) }
}

extension ResponseDecoder<String> {
  /// The body as text, decoded by its charset like ``FaradayCore/Response/text(accepting:upTo:)``, except that invalid bytes
  /// are an error.
  public static var text: Self {
    ResponseDecoder(plain: { response in
      let data = try await response.data()
      do { return try response.validText(of: data) } catch { throw BodyDecodingError(error, decoding: String.self, of: response) }
    })
  }

  /// The body as text in this encoding, regardless of its charset. Invalid bytes throw ``FaradayCoding/BodyDecodingError``, whose
  /// underlying error is a ``FaradayCore/BodyError`` with the reason `.undecodableText`.
  public static func text(encoding: String.Encoding) -> Self {
    ResponseDecoder(data: { data in
      guard let text = String(data: data, encoding: encoding) else { throw BodyError(.undecodableText(charset: "\(encoding)")) }
      return text
    })
  }
}

extension ResponseDecoder where Resource: Decodable {
  /// The body decoded as JSON. An optional is nil if and only if the body is empty.
  public static func json(_ type: Resource.Type = Resource.self, using decoder: JSONDecoder? = nil) -> Self {
    ResponseDecoder(accepting: "application/json", plain: { try await $0.decode(type, decoder: decoder) })
  }
}
