public import FaradayCoding
public import FaradayCore

/// Requests JSON, and sets the rules by which the response's JSON is parsed.
///
/// A request without an `Accept` header gets `Accept: application/json`. The body is unchanged: `response.json()` and
/// `response.decode(_:)` parse it. With `isStrict`, a body with a JSON type, `application/json` or a type that ends in `+json`,
/// is collected and parsed at once, and malformed JSON throws ``FaradayCoding/BodyDecodingError``. Streamed bodies and bodies
/// for a chunk callback are not parsed.
public struct JSONDecoding: Middleware {
  private let isStrict: Bool
  private let rules: JSONRules

  /// - Parameters:
  ///   - isStrict: whether malformed JSON is an error. False by default.
  ///   - maximumDepth: the maximum nesting of arrays and objects in untyped JSON. 512 by default.
  ///   - rejectsDuplicateNames: whether two members of the same name make the JSON malformed, for all decoding of the whole
  ///     body. Otherwise the first member counts, as in streams of JSON. False by default.
  public init(
    isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) {
    self.isStrict = isStrict
    rules = JSONRules(maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var response = try await next(accepting(request))
    response.rules = rules
    guard isStrict, request.options.delivery == .buffered, request.options.onChunk == nil, Self.isJSON(response) else {
      return response
    }
    response = try await response.collected(for: request)
    if !response.body.isEmpty { _ = try await response.json(accepting: .any) }
    return response
  }

  private static let accepted = MediaType.json.description

  private func accepting(_ request: Request) -> Request {
    guard request.headers[.accept] == nil else { return request }
    var request = request
    request.headers[.accept] = Self.accepted
    return request
  }

  // Not inlined: its temporaries would enlarge the frame of every waiting request.
  @inline(never)
  private static func isJSON(_ response: Response) -> Bool {
    response.headers.contentType?.isJSON == true && !response.body.isEmpty
  }
}

extension Middleware where Self == JSONDecoding {
  /// Requests JSON. See ``FaradayMiddleware/JSONDecoding``.
  public static var jsonDecoding: Self { Self() }

  /// Requests JSON, and parses the response by these rules. See
  /// ``FaradayMiddleware/JSONDecoding/init(isStrict:maximumDepth:rejectsDuplicateNames:)``.
  public static func jsonDecoding(
    isStrict: Bool = false, maximumDepth: Int = JSONValue.standardMaximumDepth, rejectsDuplicateNames: Bool = false
  ) -> Self {
    Self(isStrict: isStrict, maximumDepth: maximumDepth, rejectsDuplicateNames: rejectsDuplicateNames)
  }
}
