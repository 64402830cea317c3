/// An error of a limit on this side: the request was not sent. It says when there may be room again.
///
/// `Retry` does not retry it by itself, as the limit is there to keep requests back. If its `shouldRetry` says so, it waits at least
/// for ``retryAfter``, and gives up over its `maxRetryAfter`. A download that has begun waits and goes on.
public protocol RefusedRequest: FaradayError {
  /// How long it takes until requests are let through again; nil if that is not known.
  var retryAfter: Duration? { get }
}

extension RefusedRequest {
  /// True: it can succeed later.
  public var isTransient: Bool { true }
}
