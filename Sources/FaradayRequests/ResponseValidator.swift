public import FaradayCore

/// Says whether a response is what a typed call wants, before it is decoded: a success, unless said otherwise.
public struct ResponseValidator: Sendable {
  private let check: @Sendable (Response, Request) throws -> Void

  /// - Parameter accepts: false makes the call fail with ``UnacceptableResponse``, an error with that error.
  public init(_ accepts: @escaping @Sendable (Response) throws -> Bool) {
    check = { response, request in
      if try !accepts(response) { throw UnacceptableResponse(response, to: request) }
    }
  }

  private init(check: @escaping @Sendable (Response, Request) throws -> Void) { self.check = check }

  private static func expecting(_ isExpected: @escaping @Sendable (Int) -> Bool) -> ResponseValidator {
    ResponseValidator(check: { response, request in
      if !isExpected(response.status.code) { throw UnexpectedStatus(response, to: request) }
    })
  }

  /// Throws if the response is not accepted.
  public func validate(_ response: Response, to request: Request) throws { try check(response, request) }
}

extension ResponseValidator {
  /// A status of 2xx; others throw ``FaradayCore/UnexpectedStatus``.
  public static let successful = status(200..<300)

  /// Any response.
  public static let any = ResponseValidator(check: { _, _ in })

  /// A status within the range; others throw ``FaradayCore/UnexpectedStatus``.
  public static func status(_ codes: some RangeExpression<Int> & Sendable) -> ResponseValidator {
    expecting { codes.contains($0) }
  }

  /// One of these; others throw ``FaradayCore/UnexpectedStatus``.
  public static func status(_ codes: Set<Int>) -> ResponseValidator {
    expecting { codes.contains($0) }
  }
}

/// A response that a ``ResponseValidator`` did not accept.
public struct UnacceptableResponse: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The response as it came: to be looked at, not logged.
  public let response: Response
  public let request: RequestSummary?

  init(_ response: Response, to request: Request) {
    self.response = response
    self.request = RequestSummary(request)
  }

  public var description: String { naming("the response, a \(response.status.code), was not accepted") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
