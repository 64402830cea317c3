public import FaradayCore

/// Validates a response before it is decoded: by default its status must be 2xx.
public struct ResponseValidator: Sendable {
  private let check: @Sendable (Response, Request) throws -> Void

  /// - Parameter accepts: if it returns false, ``UnacceptableResponse`` is thrown; an error that it throws is thrown as it is.
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
  /// Accepts a status of 2xx; others throw ``FaradayCore/UnexpectedStatus``.
  public static let successful = status(200..<300)

  /// Accepts any response.
  public static let any = ResponseValidator(check: { _, _ in })

  /// Accepts a status code in the range; others throw ``FaradayCore/UnexpectedStatus``.
  public static func status(_ codes: some RangeExpression<Int> & Sendable) -> ResponseValidator {
    expecting { codes.contains($0) }
  }

  /// Accepts these status codes; others throw ``FaradayCore/UnexpectedStatus``.
  public static func status(_ codes: Set<Int>) -> ResponseValidator {
    expecting { codes.contains($0) }
  }
}

/// A response that a ``ResponseValidator`` rejected.
public struct UnacceptableResponse: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The response as it was received. It may contain secrets: do not log it.
  public let response: Response
  /// The request.
  public let request: RequestSummary?

  init(_ response: Response, to request: Request) {
    self.response = response
    self.request = RequestSummary(request)
  }

  public var description: String { naming("the validator rejected the \(response.status.code) response") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
