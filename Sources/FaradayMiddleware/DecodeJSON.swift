public import FaradayCoding
public import FaradayCore
#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Asks for JSON, and reads it: ``FaradayCore/Response/json`` is what a response holds whose `Content-Type` says JSON.
///
/// The body stays as it is, and is read when somebody looks, once. One that says JSON and is none has no
/// ``FaradayCore/Response/json``; a strict one is read at once, and throws ``FaradayCoding/UndecodableBody``. Streamed bodies
/// and those taken by a chunk callback are not read.
public struct DecodeJSON: Middleware {
  private let isStrict: Bool
  private static let type = MediaType.json.description

  /// - Parameter isStrict: whether a body that says JSON and is none is an error.
  public init(isStrict: Bool = false) { self.isStrict = isStrict }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    request.headers.accept(Self.type)
    var response = try await next(request)
    guard response.headers.contentType?.isJSON == true, let data = response.body.data, !data.isEmpty else { return response }
    let json = ReadOnce { try JSONDecoder().decode(JSONValue.self, from: data) }
    // Reading untyped JSON is slow, and who reads a type does not need it.
    response[JSONKey.self] = json
    guard isStrict else { return response }
    do { _ = try json.result.get() } catch { throw UndecodableBody(error, wanting: JSONValue.self, of: response) }
    return response
  }
}

extension Response {
  /// The body as JSON, if ``DecodeJSON`` has seen it and it is. The first look takes as long as reading it does.
  public var json: JSONValue? { try? self[JSONKey.self]?.result.get() }
}

private enum JSONKey: ResponseKey { typealias Value = ReadOnce<JSONValue> }

extension Middleware where Self == DecodeJSON {
  /// Asks for JSON, and reads it.
  public static var decodeJSON: Self { Self() }

  /// Asks for JSON, and reads it.
  public static func decodeJSON(isStrict: Bool) -> Self { Self(isStrict: isStrict) }
}
