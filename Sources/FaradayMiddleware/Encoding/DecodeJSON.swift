public import FaradayCoding
public import FaradayCore

/// Requests JSON, and makes the body of a JSON response available as ``FaradayCore/Response/json``.
///
/// A response is JSON if its `Content-Type` is `application/json` or ends in `+json`. A request without an `Accept` header gets
/// `Accept: application/json`.
///
/// The body is unchanged, and parsed lazily and once, when ``FaradayCore/Response/json`` is first read; it is nil for malformed
/// JSON. With `isStrict` the body is collected and parsed at once, and malformed JSON throws ``FaradayCoding/UndecodableBody``.
/// Streamed bodies and those delivered to a chunk callback are not parsed.
public struct DecodeJSON: Middleware {
  private let isStrict: Bool
  private let maximumDepth: Int
  private let rejectsDuplicateNames: Bool

  /// - Parameters:
  ///   - isStrict: whether malformed JSON is an error. False by default.
  ///   - maximumDepth: the maximum nesting of arrays and objects. 512 by default.
  ///   - rejectsDuplicateNames: whether two members of the same name make the JSON malformed, for ``FaradayCore/Response/json`` and
  ///     for everything that decodes the whole body. Otherwise the first counts, as in streams of JSON. False by default.
  public init(
    isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) {
    self.isStrict = isStrict
    self.maximumDepth = maximumDepth
    self.rejectsDuplicateNames = rejectsDuplicateNames
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var response = try await next(accepting(request))
    if rejectsDuplicateNames { response.rejectsDuplicateNames = true }
    guard Self.isJSON(response) else { return response }
    guard isStrict, request.options.delivery == .buffered, request.options.onChunk == nil else {
      return response.with(makeReader())
    }
    return try parsed(await response.collected(for: request))
  }

  private static let accepted = MediaType.json.description

  private func accepting(_ request: Request) -> Request {
    guard request.headers[.accept] == nil else { return request }
    var request = request
    request.headers[.accept] = Self.accepted
    return request
  }

  // Not inlined: its temporaries would be in the frame of each request that waits.
  @inline(never)
  private static func isJSON(_ response: Response) -> Bool {
    response.headers.contentType?.isJSON == true && !response.body.isEmpty
  }

  /// Who reads a type does not need it.
  private func makeReader() -> ReadOnce<JSONValue> {
    ReadOnce { [maximumDepth, rejectsDuplicateNames] in
      try JSONValue(data: $0, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
    }
  }

  private func parsed(_ response: Response) throws -> Response {
    let json = makeReader()
    let response = response.with(json)
    guard let data = response.body.data, !data.isEmpty else { return response }
    do { _ = try json.result(of: data).get() } catch { throw UndecodableBody(error, decoding: JSONValue.self, of: response) }
    return response
  }
}

extension Response {
  /// The body as untyped JSON; nil if it is not valid JSON, or no ``FaradayMiddleware/DecodeJSON`` has handled the response.
  /// Parsed when first read; thread-safe.
  public var json: JSONValue? {
    guard let read = self[JSONKey.self], let data = body.data, !data.isEmpty else { return nil }
    return try? read.result(of: data).get()
  }

  fileprivate func with(_ json: ReadOnce<JSONValue>) -> Response {
    var response = self
    response[JSONKey.self] = json
    return response
  }
}

private enum JSONKey: ResponseKey { typealias Value = ReadOnce<JSONValue> }

extension Middleware where Self == DecodeJSON {
  /// Requests JSON, and parses the response. See ``FaradayMiddleware/DecodeJSON``.
  public static var decodeJSON: Self { Self() }

  /// Requests JSON, and parses the response, with limits of your own. See
  /// ``FaradayMiddleware/DecodeJSON/init(isStrict:maximumDepth:rejectsDuplicateNames:)``.
  public static func decodeJSON(
    isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) -> Self {
    Self(isStrict: isStrict, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
  }
}
