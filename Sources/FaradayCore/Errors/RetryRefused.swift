extension Response {
  /// Whether `Retry` would have sent the request again, and its `RetryBudget` was used up. Descriptions of errors say so.
  public package(set) var isRetryRefused: Bool {
    get { self[IsRetryRefused.self] ?? false }
    set { self[IsRetryRefused.self] = newValue ? true : nil }
  }

  private enum IsRetryRefused: ResponseKey { typealias Value = Bool }
}

extension Error {
  /// Whether `Retry` would have sent the request again, and its `RetryBudget` was used up: of a ``TransportError``, and of an error
  /// with a response, such as ``UnexpectedStatus``.
  public var isRetryRefused: Bool {
    (self as? TransportError)?.isRetryRefused ?? (self as? any FaradayError)?.response?.isRetryRefused ?? false
  }

  /// The error, with ``isRetryRefused`` set if it can say so.
  package var refusingRetry: any Error {
    switch self {
    case var error as TransportError:
      error.isRetryRefused = true
      return error
    case var error as UnexpectedStatus:
      error.response.isRetryRefused = true
      return error
    default: return self
    }
  }
}

/// How a description says that a retry was refused.
let retryRefusedNote = "not retried: the retry budget is used up"
