public import FaradayCoding
public import FaradayCore
#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Asks for JSON, and reads it: ``FaradayCore/Response/json`` is what a response holds whose `Content-Type` says JSON.
///
/// The body stays as it is. One that says JSON and is none has no ``FaradayCore/Response/json``; a strict one throws
/// ``FaradayCoding/UndecodableBody``. Streamed bodies and those taken by a chunk callback are not read.
public struct DecodeJSON: Middleware {
  private let isStrict: Bool

  /// - Parameter isStrict: whether a body that says JSON and is none is an error.
  public init(isStrict: Bool = false) { self.isStrict = isStrict }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    request.headers.accept(MediaType.json.description)
    var response = try await next(request)
    guard response.headers.contentType?.isJSON == true, let data = response.body.data, !data.isEmpty else { return response }
    do {
      response[JSONKey.self] = try JSONDecoder().decode(JSONValue.self, from: data)
    } catch  where isStrict {
      throw UndecodableBody(error, wanting: JSONValue.self, of: response)
    } catch {}
    return response
  }
}

extension Response {
  /// The body as JSON, if ``DecodeJSON`` has read it.
  public var json: JSONValue? { self[JSONKey.self] }
}

private enum JSONKey: ResponseKey { typealias Value = JSONValue }

extension Middleware where Self == DecodeJSON {
  /// Asks for JSON, and reads it.
  public static var decodeJSON: Self { Self() }

  /// Asks for JSON, and reads it.
  public static func decodeJSON(isStrict: Bool) -> Self { Self(isStrict: isStrict) }
}
