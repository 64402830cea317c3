public import FaradayCoding
public import FaradayCore

/// Asks for JSON, and reads it: ``FaradayCore/Response/json`` is what a response holds whose `Content-Type` says JSON, that is
/// `application/json` or any type that ends in `+json`.
///
/// A request that says in `Accept` what it wants is left as it is; one without `Accept` asks for `application/json`.
///
/// The body stays as it is, and is read when somebody looks, once. One that says JSON and is none has no
/// ``FaradayCore/Response/json``; a strict one is collected and read at once, and throws ``FaradayCoding/UndecodableBody``. Streamed bodies
/// and those taken by a chunk callback are not read.
public struct DecodeJSON: Middleware {
  private let isStrict: Bool
  private let maximumDepth: Int

  /// - Parameters:
  ///   - isStrict: whether a body that says JSON and is none is an error.
  ///   - maximumDepth: how deep arrays and objects may stand in each other.
  public init(isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth) {
    self.isStrict = isStrict
    self.maximumDepth = maximumDepth
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    if request.headers[.accept] == nil { request.headers[.accept] = MediaType.json.description }
    var response = try await next(request)
    guard response.headers.contentType?.isJSON == true, !response.body.isEmpty else { return response }
    // Who reads a type does not need it.
    let json = ReadOnce { [maximumDepth] in try JSONValue(data: $0, maximumDepth: maximumDepth) }
    response[JSONKey.self] = json
    guard isStrict, request.options.delivery == .buffered, request.options.onChunk == nil else { return response }
    response = try await response.collected(for: request)
    guard let data = response.body.data, !data.isEmpty else { return response }
    do { _ = try json.result(of: data).get() } catch { throw UndecodableBody(error, wanting: JSONValue.self, of: response) }
    return response
  }
}

extension Response {
  /// The body as JSON, if ``DecodeJSON`` has seen it and it is. The first look takes as long as reading it does.
  public var json: JSONValue? {
    guard let read = self[JSONKey.self], let data = body.data, !data.isEmpty else { return nil }
    return try? read.result(of: data).get()
  }
}

private enum JSONKey: ResponseKey { typealias Value = ReadOnce<JSONValue> }

extension Middleware where Self == DecodeJSON {
  /// Asks for JSON, and reads it.
  public static var decodeJSON: Self { Self() }

  /// Asks for JSON, and reads it.
  public static func decodeJSON(isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth) -> Self {
    Self(isStrict: isStrict, maximumDepth: maximumDepth)
  }
}
