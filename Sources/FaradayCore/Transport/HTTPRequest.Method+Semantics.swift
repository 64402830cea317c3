extension HTTPRequest.Method {
  /// Whether the method is idempotent: sending a request twice has the effect of sending it once (RFC 9110, section 9.2.2).
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }

  /// Whether the method only reads (RFC 9110, section 9.2.1). Of an unknown method that is not known.
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    default: false
    }
  }

  /// Whether a request of the method has a body by definition: an empty one is sent as `Content-Length: 0` (RFC 9110, section 8.6).
  package var expectsBody: Bool {
    switch self {
    case .post, .put, .patch: true
    default: false
    }
  }
}
