public import FaradayCore

/// Validates a response before it is decoded: by default its status must be 2xx.
public struct ResponseValidator: Sendable {
  private let check: @Sendable (Response, Request) throws -> Void

  /// - Parameter accepts: returns whether the response is accepted. If false, ``ResponseValidationError`` is thrown. Its errors
  ///   are thrown unchanged.
  public init(_ accepts: @escaping @Sendable (Response) throws -> Bool) {
    check = { response, request in
      if try !accepts(response) { throw ResponseValidationError(response, to: request) }
    }
  }

  private init(check: @escaping @Sendable (Response, Request) throws -> Void) { self.check = check }

  /// Throws if the response is not accepted.
  public func validate(_ response: Response, to request: Request) throws { try check(response, request) }
}

extension ResponseValidator {
  /// Accepts a status of 2xx. Other statuses throw ``FaradayCore/StatusError``.
  public static let successful = status(.successful)

  /// Accepts any response.
  public static let any = status(.any)

  /// Accepts these statuses: `.status([200, 404])`, `.status(.codes(200..<400))`. Other statuses throw
  /// ``FaradayCore/StatusError``.
  public static func status(_ accepted: StatusSet) -> ResponseValidator {
    ResponseValidator(check: { response, request in
      if !accepted.contains(response.status) { throw StatusError(response, to: request) }
    })
  }
}

/// The error of a response that a ``ResponseValidator`` rejected.
public struct ResponseValidationError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The unredacted response. It may contain secrets: do not log it.
  public let response: Response
  /// The request.
  public let request: RequestSummary?

  init(_ response: Response, to request: Request) {
    self.response = response.accepted()
    self.request = RequestSummary(request)
  }

  public var description: String { naming("the validator rejected the \(response.status.code) response") }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
