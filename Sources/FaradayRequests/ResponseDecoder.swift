internal import FaradayCoding
public import FaradayCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes a resource of a response.
///
///     extension ResponseDecoder<[String]> {
///       static var lines: Self { ResponseDecoder { try await $0.body.text().split(separator: "\n").map(String.init) } }
///     }
public struct ResponseDecoder<Resource: Sendable>: Sendable {
  /// What a request says in `Accept` unless it says something of its own; nil for nothing.
  public let accepts: String?
  private let make: @Sendable (Response) async throws -> Resource

  public init(accepting accepts: String? = nil, _ make: @escaping @Sendable (Response) async throws -> Resource) {
    self.accepts = accepts
    self.make = make
  }

  /// The resource. An error of the decoder's own becomes the ``FaradayCoding/UndecodableBody/underlying`` one of an
  /// ``FaradayCoding/UndecodableBody``; those of the transport, of reading the body and of cancellation come as they are.
  public func decode(_ response: Response) async throws -> Resource {
    do {
      return try await make(response)
    } catch let error {
      switch error {
      case is UndecodableBody, is TransportError, is CancellationError, is BodyTooLarge: throw error
      default: throw UndecodableBody(error, wanting: Resource.self, of: response)
      }
    }
  }
}

extension ResponseDecoder<Void> {
  /// Ignores the body.
  public static var none: Self { ResponseDecoder { _ in } }
}

extension ResponseDecoder<Data> {
  /// The body's bytes, up to 64 MiB.
  public static var data: Self { ResponseDecoder { try await $0.body.collect() } }
}

extension ResponseDecoder<Response> {
  /// The response itself, for whoever reads its body in pieces.
  public static var response: Self { ResponseDecoder { $0 } }
}

extension ResponseDecoder<String> {
  /// The body as text in UTF-8; what is none throws.
  public static var text: Self { text(encoding: .utf8) }

  /// The body as text in an encoding; what is none throws ``UndecodableText``.
  public static func text(encoding: String.Encoding) -> Self {
    ResponseDecoder { response in
      guard let text = String(data: try await response.body.collect(), encoding: encoding) else {
        throw UndecodableText(encoding: encoding)
      }
      return text
    }
  }
}

extension ResponseDecoder where Resource: Decodable {
  /// The body as JSON. An optional is nil exactly when the body has no bytes.
  public static func json(_ type: Resource.Type = Resource.self, using decoder: JSONDecoder = JSONDecoder()) -> Self {
    ResponseDecoder(accepting: "application/json") { try await $0.decode(type, using: decoder) }
  }
}

/// A body that is no text in the encoding that was wanted.
public struct UndecodableText: Error, Equatable, CustomStringConvertible {
  public let encoding: String.Encoding

  public init(encoding: String.Encoding) { self.encoding = encoding }

  public var description: String { "the body is no text in \(encoding)" }
}
