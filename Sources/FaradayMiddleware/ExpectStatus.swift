public import FaradayCore

/// Makes an error of every response whose status is not an expected one: 2xx, unless said otherwise.
///
///     connection.use(.expectStatus)                       // 200..<300
///     connection.use(.expectStatus([200, 404]))
///     connection.use(.expectStatus { $0.code < 500 })
///
/// It stands where the list has it: above ``Redirects`` it judges the last response, below it each hop. The callbacks of the
/// request see nothing of a response that was not expected. An ``UnexpectedStatus`` has the response.
public struct ExpectStatus: Middleware {
  private let isExpected: @Sendable (HTTPResponse.Status) -> Bool
  private let bodyLimit: Int

  /// - Parameters:
  ///   - bodyLimit: how many bytes of an unexpected response's body the error keeps where the chunk callback would have got
  ///     them; the transfer of a longer one may be ended. 64 KiB by default.
  ///   - isExpected: called once for each response, on the engine's thread if the request has callbacks.
  public init(bodyLimit: Int = 64 << 10, where isExpected: @escaping @Sendable (HTTPResponse.Status) -> Bool) {
    self.isExpected = isExpected
    self.bodyLimit = max(0, bodyLimit)
  }

  /// Expects a status within the range.
  public init(_ codes: some RangeExpression<Int> & Sendable, bodyLimit: Int = 64 << 10) {
    self.init(bodyLimit: bodyLimit) { codes.contains($0.code) }
  }

  /// Expects one of these.
  public init(_ codes: Set<Int>, bodyLimit: Int = 64 << 10) {
    self.init(bodyLimit: bodyLimit) { codes.contains($0.code) }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    let sent = try await Withholding.send(request, next: next, keeping: bodyLimit) { [isExpected] head in
      !isExpected(head.status)
    }
    guard sent.isWithheld else { return sent.response }
    throw UnexpectedStatus(sent.response, isBodyCut: sent.isCut, to: request)
  }
}

/// A response with a status that ``ExpectStatus`` did not expect.
///
/// What it says of itself has no secret in it. Its ``response`` is as it came: to be looked at, not logged.
public struct UnexpectedStatus: Error, Sendable, CustomStringConvertible {
  /// The response with its header fields and body. A streamed body can still be read, once; until then, or until this error
  /// goes, its connection is taken.
  public let response: Response
  /// Whether the body was longer than the limit, or a buffered one than ``FaradayCore/Options/maximumBodySize``, and ``response``
  /// has its beginning only.
  public let isBodyCut: Bool
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The request's URL, without user, password and fragment, and with a mark for the values of secret query items.
  public let url: String

  public var status: HTTPResponse.Status { response.status }

  init(_ response: Response, isBodyCut: Bool, to request: Request) {
    self.response = response
    self.isBodyCut = isBodyCut
    method = request.method
    url = request.options.secrets.redacting(request.url)
  }

  public var description: String { "\(method) \(url): unexpected status \(status.code)" }
}

extension Middleware where Self == ExpectStatus {
  /// Makes an error of every status but 2xx.
  public static var expectStatus: Self { Self(200..<300) }

  /// Makes an error of every status out of the range.
  public static func expectStatus(_ codes: some RangeExpression<Int> & Sendable, bodyLimit: Int = 64 << 10) -> Self {
    Self(codes, bodyLimit: bodyLimit)
  }

  /// Makes an error of every status but these.
  public static func expectStatus(_ codes: Set<Int>, bodyLimit: Int = 64 << 10) -> Self { Self(codes, bodyLimit: bodyLimit) }

  /// Makes an error of every status that the closure does not expect.
  public static func expectStatus(
    bodyLimit: Int = 64 << 10, where isExpected: @escaping @Sendable (HTTPResponse.Status) -> Bool
  ) -> Self {
    Self(bodyLimit: bodyLimit, where: isExpected)
  }
}
