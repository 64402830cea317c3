internal import FaradayCoding
public import FaradayCore

/// Requests HAL, and makes the body of a HAL response available as ``FaradayCore/Response/representation``.
///
/// Appends `application/hal+json` and `application/json` to the request's `Accept` header, and decodes responses of these types
/// and of derived ones: `application/vnd.shop.hal+json`, `application/vnd.shop+json`. The body is unchanged, and parsed lazily
/// and once. Streamed bodies and those delivered to a chunk callback are not parsed.
public struct DecodeHAL: Middleware {
  private let types: [MediaType]

  /// - Parameter types: the media types to accept and decode. ``FaradayCore/MediaType/hal`` includes all derived HAL types, and
  ///   ``FaradayCore/MediaType/json`` all JSON types; use `[.hal]` to leave plain JSON alone.
  public init(types: [MediaType] = [.hal, .json]) { self.types = types }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    request.headers.accept(types)
    var response = try await next(request)
    guard let type = response.headers.contentType, types.contains(where: { $0.covers(type) }), !response.body.isEmpty else {
      return response
    }
    response[HALKey.self] = ReadOnce { try Representation(data: $0) }
    return response
  }
}

extension Response {
  /// The body as a HAL representation; nil if it is not valid HAL, or no ``FaradayHAL/DecodeHAL`` has handled the response.
  /// Parsed when first read; thread-safe. ``decodeRepresentation(upTo:)`` throws an error that says what is wrong.
  public var representation: Representation? {
    guard let read = self[HALKey.self], let data = body.data, !data.isEmpty else { return nil }
    return try? read.result(of: data).get()
  }

  /// Decodes the body as a HAL representation, whatever its `Content-Type`; ``FaradayHAL/DecodeHAL`` is not required.
  ///
  /// Throws ``FaradayCoding/UndecodableBody`` if it is not valid HAL, ``FaradayCore/BodyTooLarge`` over `limit` bytes, 64 MiB
  /// by default, and what reading a streamed body throws.
  public func decodeRepresentation(upTo limit: Int = 64 << 20) async throws -> Representation {
    let data = try await body.collect(upTo: limit)
    let result = self[HALKey.self]?.result(of: data) ?? Result { try Representation(data: data) }
    do { return try result.get() } catch { throw UndecodableBody(error, decoding: Representation.self, of: self, whose: data) }
  }

  /// Whether its `Content-Type` is HAL or JSON, or a type that ``FaradayHAL/DecodeHAL`` accepts.
  var isHAL: Bool { self[HALKey.self] != nil || headers.contentType?.isJSON == true }
}

private enum HALKey: ResponseKey { typealias Value = ReadOnce<Representation> }

extension MediaType {
  /// `application/hal+json`
  public static let hal = MediaType("application", "hal+json")

  /// Whether it is a HAL type: `application/hal+json`, or a type that ends in `.hal+json`.
  public var isHAL: Bool { self == .hal || subtype.hasSuffix(".hal+json") }

  fileprivate func covers(_ other: MediaType) -> Bool {
    self == other || (self == .json && other.isJSON) || (self == .hal && other.isHAL)
  }
}

extension HTTPFields {
  /// Appends media types to `Accept`, except those that it contains.
  mutating func accept(_ types: [MediaType]) {
    for type in types where !accepted.contains(where: { MediaType($0) == type }) { accept(type.description) }
  }
}

extension Middleware where Self == DecodeHAL {
  /// Requests HAL, and decodes the response. See ``FaradayHAL/DecodeHAL``.
  public static var decodeHAL: Self { Self() }

  /// Requests these media types, and decodes them as HAL.
  public static func decodeHAL(types: [MediaType]) -> Self { Self(types: types) }
}
