extension Request {
  /// The query parameters of the URL. Items that are not changed keep their bytes, so that a signature over them stays valid:
  ///
  ///     request.query["page"] = "2"       // ?q=a+b&sig=%2Fx%E9&page=1 -> ?q=a+b&sig=%2Fx%E9&page=2
  ///
  /// New and changed items are percent-encoded. Setting it to `[:]` removes the `?` too.
  public var query: QueryParameters {
    get { QueryParameters(ofURL: parts.query ?? "") }
    set {
      var parts = parts
      parts.query = newValue.items.isEmpty ? nil : newValue.spelling[...]
      set(parts)
    }
  }

  /// The URL's path, percent-encoded, with its leading slash. Setting one that makes an invalid URL changes nothing.
  public var path: String {
    get { url.path(percentEncoded: true) }
    set {
      var parts = parts
      parts.path = (newValue.utf8.first == UInt8(ascii: "/") ? "" : "/") + newValue[...]
      set(parts)
    }
  }

  /// The segments of the path, percent-decoded. Setting them encodes each one, slashes included.
  ///
  /// The segments `.` and `..` cannot be encoded (RFC 3986, section 6.2.2.3): servers and proxies resolve them (path traversal).
  /// Check names from outside before you set them here, or use a ``PathTemplate``, which throws for these two.
  public var pathComponents: [String] {
    get { path.split(separator: "/").map { QueryParameters.decode($0) } }
    set { path = "/" + newValue.map { QueryParameters.encode($0) }.joined(separator: "/") }
  }

  /// Whether the URL's scheme is `https`.
  package var isSecure: Bool { url.scheme?.lowercased() == "https" }

  private var parts: URLParts { URLParts(url.absoluteString) }

  private mutating func set(_ parts: URLParts) {
    if let changed = URL(text: parts.description) { url = changed }
  }
}
