extension HTTPRequest.Method {
  /// Whether sending such a request twice does what sending it once does (RFC 9110, section 9.2.2).
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }

  /// Whether a request has a body by definition, and says so when that is empty (RFC 9110, section 8.6).
  package var expectsBody: Bool {
    switch self {
    case .post, .put, .patch: true
    default: false
    }
  }
}
