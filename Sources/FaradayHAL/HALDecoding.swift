internal import FaradayCoding
public import FaradayCore

/// Requests HAL, and makes the body of a HAL response available as ``FaradayCore/Response/representation``.
///
/// Appends `application/hal+json` and `application/json` to the request's `Accept` header, and decodes responses of these types
/// and of derived types: `application/vnd.shop.hal+json`, `application/vnd.shop+json`. The body is unchanged. It is parsed
/// lazily and once. Streamed bodies and bodies for a chunk callback are not parsed.
public struct HALDecoding: Middleware {
  private let types: [MediaType]

  /// - Parameter types: the media types to accept and decode. ``FaradayCore/MediaType/hal`` includes all derived HAL types, and
  ///   ``FaradayCore/MediaType/json`` all JSON types; use `[.hal]` to exclude plain JSON.
  public init(types: [MediaType] = [.hal, .json]) { self.types = types }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    request.headers.accept(types)
    var response = try await next(request)
    guard let type = response.headers.contentType, types.contains(where: { $0.covers(type) }), !response.body.isEmpty else {
      return response
    }
    let decoder = response.jsonDecoder
    response[HALKey.self] = ReadOnce { try Representation(data: $0).decoding(by: decoder) }
    return response
  }
}

extension Response {
  /// The body as a HAL representation; nil if the body is not valid HAL, or if no ``FaradayHAL/HALDecoding`` has handled the
  /// response. Parsed when first read, with any status; thread-safe. ``decodeRepresentation(accepting:upTo:)`` throws an error
  /// with the reason.
  public var representation: Representation? {
    guard let read = self[HALKey.self], let data = body.data, !data.isEmpty else { return nil }
    return try? read.result(of: data).get()
  }

  /// Decodes the body as a HAL representation, with any `Content-Type`; ``FaradayHAL/HALDecoding`` is not required.
  ///
  /// Throws ``FaradayCoding/BodyDecodingError`` if it is not valid HAL, and the errors of reading a streamed body.
  ///
  /// - Parameters:
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``FaradayCore/StatusError``.
  ///   - limit: the maximum number of bytes. By default ``FaradayCore/Options/maximumBodySize`` of the request, which is 64 MiB
  ///     by default. A longer body throws ``FaradayCore/BodyError`` with the reason `.tooLarge`.
  public func decodeRepresentation(
    accepting accepted: StatusSet = .successful, upTo limit: Int? = nil
  ) async throws -> Representation {
    let data = try await data(accepting: accepted, upTo: limit)
    let result = self[HALKey.self]?.result(of: data) ?? Result { try Representation(data: data).decoding(by: jsonDecoder) }
    do { return try result.get() } catch { throw BodyDecodingError(error, decoding: Representation.self, of: self, whose: data) }
  }

  /// Whether the `Content-Type` is HAL or JSON, or a type that ``FaradayHAL/HALDecoding`` accepts.
  var isHAL: Bool { self[HALKey.self] != nil || headers.contentType?.isJSON == true }
}

private enum HALKey: ResponseKey { typealias Value = ReadOnce<Representation> }

extension MediaType {
  /// `application/hal+json`
  public static let hal = MediaType("application", "hal+json")

  /// Whether the type is a HAL type: `application/hal+json`, or a type that ends in `.hal+json`.
  public var isHAL: Bool { self == .hal || subtype.hasSuffix(".hal+json") }

  fileprivate func covers(_ other: MediaType) -> Bool {
    self == other || (self == .json && other.isJSON) || (self == .hal && other.isHAL)
  }
}

extension HTTPFields {
  /// Appends media types to `Accept`, except existing ones.
  mutating func accept(_ types: [MediaType]) {
    for type in types where !accepted.contains(where: { MediaType($0) == type }) { accept(type.description) }
  }
}

extension Middleware where Self == HALDecoding {
  /// Requests HAL, and decodes the response. See ``FaradayHAL/HALDecoding``.
  public static var halDecoding: Self { Self() }

  /// Requests these media types, and decodes them as HAL.
  public static func halDecoding(types: [MediaType]) -> Self { Self(types: types) }
}
