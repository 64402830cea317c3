internal import FaradayCoding
public import FaradayCore

/// Decodes a response to a value.
///
///     extension ResponseDecoder<[String]> {
///       static var lines: Self { ResponseDecoder { try await $0.body.text().split(separator: "\n").map(String.init) } }
///     }
///
/// Decoding runs off the caller's actor; a decoder may be called concurrently.
public struct ResponseDecoder<Resource: Sendable>: Sendable {
  /// The `Accept` header of requests that have none; nil for no header.
  public let accepts: String?
  private let make: @Sendable (Response) async throws -> Resource

  /// - Parameter make: decodes the response, whose body it reads itself. An error that it throws is wrapped in
  ///   ``FaradayCoding/UndecodableBody``, except ``FaradayCoding/UndecodableBody`` itself, ``FaradayCore/TransportError``,
  ///   `CancellationError` and ``FaradayCore/BodyTooLarge``.
  public init(accepting accepts: String? = nil, _ make: @escaping @Sendable (Response) async throws -> Resource) {
    self.accepts = accepts
    self.make = { response in
      do {
        return try await make(response)
      } catch let error {
        switch error {
        case is UndecodableBody, is TransportError, is CancellationError, is BodyTooLarge: throw error
        default: throw UndecodableBody(error, decoding: Resource.self, of: response)
        }
      }
    }
  }

  /// - Parameter convert: decodes the bytes of the body, at most 64 MiB. An error that it throws is wrapped in
  ///   ``FaradayCoding/UndecodableBody``; errors of reading the body are thrown as they are.
  public init(accepting accepts: String? = nil, data convert: @escaping @Sendable (Data) throws -> Resource) {
    self.accepts = accepts
    make = { response in
      let data = try await response.body.collect()
      do { return try convert(data) } catch { throw UndecodableBody(error, decoding: Resource.self, of: response) }
    }
  }

  fileprivate init(accepting accepts: String? = nil, plain make: @escaping @Sendable (Response) async throws -> Resource) {
    self.accepts = accepts
    self.make = make
  }

  /// Decodes the response. Runs off the caller's actor.
  @concurrent
  public func decode(_ response: Response) async throws -> Resource {
    // Without a statement of its own before the call, Swift 6.3 takes the change of executor away with the call's.
    try Task.checkCancellation()
    return try await make(response)
  }
}

extension ResponseDecoder<Void> {
  /// Ignores the body.
  public static var none: Self { ResponseDecoder(plain: { _ in }) }
}

extension ResponseDecoder<Data> {
  /// The bytes of the body, at most 64 MiB.
  public static var data: Self { ResponseDecoder(data: { $0 }) }
}

extension ResponseDecoder<Response> {
  /// The response itself, for reading its body as a stream.
  public static var response: Self { ResponseDecoder(plain: { $0 }) }
}

extension ResponseDecoder<String> {
  /// The body as text, decoded by its charset as ``FaradayCore/Response/text(upTo:)`` does; but invalid bytes are an error.
  public static var text: Self {
    ResponseDecoder(plain: { response in
      let data = try await response.body.collect()
      do { return try response.validText(of: data) } catch { throw UndecodableBody(error, decoding: String.self, of: response) }
    })
  }

  /// The body as text in this encoding, whatever its charset. Invalid bytes throw ``FaradayCoding/UndecodableText``.
  public static func text(encoding: String.Encoding) -> Self {
    ResponseDecoder(data: { data in
      guard let text = String(data: data, encoding: encoding) else { throw UndecodableText(charset: "\(encoding)") }
      return text
    })
  }
}

extension ResponseDecoder where Resource: Decodable {
  /// The body decoded as JSON. An optional is nil exactly when the body is empty.
  public static func json(_ type: Resource.Type = Resource.self, using decoder: JSONDecoder = JSONDecoder()) -> Self {
    ResponseDecoder(accepting: "application/json", plain: { try await $0.decode(type, decoder: decoder) })
  }
}
