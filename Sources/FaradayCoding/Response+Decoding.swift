public import FaradayCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Response {
  /// The body, which is JSON, as a value of this type.
  ///
  ///     let user = try await response.decode(User.self)
  ///
  /// An optional is nil exactly when the body has no bytes. Throws ``UndecodableBody`` if the body is none, ``FaradayCore/BodyTooLarge`` if it is over `limit` bytes, and what reading
  /// a streamed body throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder(), upTo limit: Int = 64 << 20
  ) async throws -> Value {
    let data = try await body.collect(upTo: limit)
    do {
      if let optional = type as? any DecodableOptional.Type, let value = try optional.decode(data, decoder) as? Value {
        return value
      }
      guard !data.isEmpty else { throw EmptyBody() }
      return try decoder.decode(type, from: data)
    } catch {
      throw UndecodableBody(error, wanting: type, of: self)
    }
  }
}

private protocol DecodableOptional {
  static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  fileprivate static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self {
    data.isEmpty ? nil : try decoder.decode(Wrapped.self, from: data)
  }
}

/// A body without a byte, where a value was wanted.
public struct EmptyBody: Error, Equatable, CustomStringConvertible {
  public init() {}

  public var description: String { "the body is empty" }
}

/// A response whose body is not what was wanted.
public struct UndecodableBody: Error, CustomStringConvertible, CustomReflectable {
  /// The type that was wanted.
  public let type: String
  /// The field: `items.0.name`; empty for the whole.
  public let path: String
  /// The response as it came.
  public let response: Response
  /// The request's method, where the call that decoded knew of the request.
  public package(set) var method: HTTPRequest.Method?
  /// What the decoder threw. Its text may show values.
  public let underlying: any Error
  private let reason: String

  public init(_ underlying: any Error, wanting type: any Any.Type, of response: Response) {
    self.type = "\(type)"
    self.underlying = underlying
    self.response = response
    let failure = DecodingFailure(underlying)
    path = failure.path
    reason = failure.reason
  }

  public var description: String {
    let place = path.isEmpty ? "" : " at \(path.bounded())"
    // The query may have secrets that only the request knew of.
    let url = String(response.secrets.redacting(response.url).prefix { $0 != "?" }).bounded()
    return "\(method.map { "\($0) " } ?? "")\(url): the body of the \(response.status.code) is no \(type)\(place): \(reason)"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
