internal import FaradayCoding
public import FaradayCore

/// Makes a resource of a response.
///
///     extension ResponseDecoder<[String]> {
///       static var lines: Self { ResponseDecoder { try await $0.body.text().split(separator: "\n").map(String.init) } }
///     }
public struct ResponseDecoder<Resource: Sendable>: Sendable {
  /// What a request says in `Accept` unless it says something of its own; nil for nothing.
  public let accepts: String?
  private let make: @Sendable (Response) async throws -> Resource

  /// - Parameter make: gives the resource, and reads the body in its own way. What it throws becomes the
  ///   ``FaradayCoding/UndecodableBody/underlying`` error of an ``FaradayCoding/UndecodableBody``, unless it is one, or a
  ///   ``FaradayCore/TransportError``, a `CancellationError` or ``FaradayCore/BodyTooLarge``.
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

  /// - Parameter convert: gives the resource for the body's bytes, of which there may be 64 MiB. What it throws becomes the
  ///   ``FaradayCoding/UndecodableBody/underlying`` error of an ``FaradayCoding/UndecodableBody``; what reading the body throws
  ///   comes as it is.
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

  /// The resource. Runs apart from its caller's actor: decoding may take its time.
  @concurrent
  public func decode(_ response: Response) async throws -> Resource {
    // Without a statement of its own before the call, Swift 6.3 takes the change of executor away with the call's.
    try Task.checkCancellation()
    return try await make(response)
  }

  /// The resource; an error says which method it was.
  package func decode(_ response: Response, to method: HTTPRequest.Method) async throws -> Resource {
    do {
      return try await decode(response)
    } catch var error as UndecodableBody {
      error.method = method
      throw error
    }
  }
}

extension ResponseDecoder<Void> {
  /// Ignores the body.
  public static var none: Self { ResponseDecoder(plain: { _ in }) }
}

extension ResponseDecoder<Data> {
  /// The body's bytes, up to 64 MiB.
  public static var data: Self { ResponseDecoder(data: { $0 }) }
}

extension ResponseDecoder<Response> {
  /// The response itself, for whoever reads its body in pieces.
  public static var response: Self { ResponseDecoder(plain: { $0 }) }
}

extension ResponseDecoder<String> {
  /// The body as text in the characters that it says it is in, as ``FaradayCore/Response/text(upTo:)`` has it; but bytes that stand
  /// for no character throw too.
  public static var text: Self {
    ResponseDecoder(plain: { response in
      let data = try await response.body.collect()
      do { return try response.validText(of: data) } catch { throw UndecodableBody(error, decoding: String.self, of: response) }
    })
  }

  /// The body as text in an encoding, whatever it says; what is none throws ``FaradayCoding/UndecodableText``.
  public static func text(encoding: String.Encoding) -> Self {
    ResponseDecoder(data: { data in
      guard let text = String(data: data, encoding: encoding) else { throw UndecodableText(charset: "\(encoding)") }
      return text
    })
  }
}

extension ResponseDecoder where Resource: Decodable {
  /// The body as JSON. An optional is nil exactly when the body has no bytes.
  public static func json(_ type: Resource.Type = Resource.self, using decoder: JSONDecoder = JSONDecoder()) -> Self {
    ResponseDecoder(accepting: "application/json", plain: { try await $0.decode(type, decoder: decoder) })
  }
}
