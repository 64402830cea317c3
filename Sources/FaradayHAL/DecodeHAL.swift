internal import FaradayCoding
public import FaradayCore

/// Asks for HAL, and reads it: ``FaradayCore/Response/representation`` is what a response holds whose body is a HAL document.
///
/// It accepts `application/hal+json` and `application/json` behind what the caller accepts, and reads bodies of these types and
/// of those that are made of them: `application/vnd.shop.hal+json`, `application/vnd.shop+json`.
/// The body stays as it is, and is read when somebody looks, once. Streamed bodies and those taken by a chunk callback are not
/// read.
public struct DecodeHAL: Middleware {
  private let types: [MediaType]

  /// - Parameter types: what is asked for and read. ``FaradayCore/MediaType/hal`` stands for all of HAL, and
  ///   ``FaradayCore/MediaType/json`` for all of JSON; whoever wants plain JSON left alone gives `[.hal]`.
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
  /// The body as a HAL representation, if ``DecodeHAL`` has seen it and it is one. The first look takes as long as reading it
  /// does. ``decodeRepresentation(upTo:)`` says what is wrong with one that is none.
  public var representation: Representation? {
    guard let read = self[HALKey.self], let data = body.data, !data.isEmpty else { return nil }
    return try? read.result(of: data).get()
  }

  /// The body, which is HAL whatever its `Content-Type`, as a representation; ``DecodeHAL`` need not have seen it.
  ///
  /// Throws ``FaradayCoding/UndecodableBody`` if the body is none, ``FaradayCore/BodyTooLarge`` if it is over `limit` bytes,
  /// and what reading a streamed body throws.
  public func decodeRepresentation(upTo limit: Int = 64 << 20) async throws -> Representation {
    let data = try await body.collect(upTo: limit)
    let result = self[HALKey.self]?.result(of: data) ?? Result { try Representation(data: data) }
    do { return try result.get() } catch { throw UndecodableBody(error, decoding: Representation.self, of: self, whose: data) }
  }

  /// Whether it says that its body is HAL or JSON, or ``DecodeHAL`` was told so.
  var isHAL: Bool { self[HALKey.self] != nil || headers.contentType?.isJSON == true }
}

private enum HALKey: ResponseKey { typealias Value = ReadOnce<Representation> }

extension MediaType {
  /// `application/hal+json`
  public static let hal = MediaType("application", "hal+json")

  /// Whether it is HAL: `application/hal+json`, or a type that ends in `.hal+json`.
  public var isHAL: Bool { self == .hal || subtype.hasSuffix(".hal+json") }

  fileprivate func covers(_ other: MediaType) -> Bool {
    self == other || (self == .json && other.isJSON) || (self == .hal && other.isHAL)
  }
}

extension HTTPFields {
  /// A type that is accepted already, with whatever parameters, is not added.
  mutating func accept(_ types: [MediaType]) {
    for type in types where !accepted.contains(where: { MediaType($0) == type }) { accept(type.description) }
  }
}

extension Middleware where Self == DecodeHAL {
  /// Asks for HAL, and reads it.
  public static var decodeHAL: Self { Self() }

  /// Asks for these types, and reads them as HAL.
  public static func decodeHAL(types: [MediaType]) -> Self { Self(types: types) }
}
