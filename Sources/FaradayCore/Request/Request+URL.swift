extension Request {
  /// The items of the URL's query. Items that are not changed stay in the URL byte by byte, as a signature over them asks for:
  ///
  ///     request.query["page"] = "2"       // ?q=a+b&sig=%2Fx%E9&page=1 -> ?q=a+b&sig=%2Fx%E9&page=2
  ///
  /// Those that are new or changed are percent-encoded. Setting it to none takes the `?` away too.
  public var query: QueryParameters {
    get { QueryParameters(ofURL: parts.query ?? "") }
    set {
      var parts = parts
      parts.query = newValue.items.isEmpty ? nil : newValue.spelling[...]
      set(parts)
    }
  }

  /// The URL's path, percent-encoded, with its leading slash. Setting one that makes no URL changes nothing.
  public var path: String {
    get { url.path(percentEncoded: true) }
    set {
      var parts = parts
      parts.path = (newValue.utf8.first == UInt8(ascii: "/") ? "" : "/") + newValue[...]
      set(parts)
    }
  }

  /// The segments of the path, decoded. Setting them encodes each, so that a slash within one stays within it.
  ///
  /// `.` and `..` have no other spelling (RFC 3986, section 6.2.2.3): as segments they are the place itself and the one above, to
  /// the server or on the way to it. Names from outside are to be looked at before they are put here; a `PathTemplate` refuses
  /// those two.
  public var pathComponents: [String] {
    get { path.split(separator: "/").map { QueryParameters.decode($0) } }
    set { path = "/" + newValue.map { QueryParameters.encode($0) }.joined(separator: "/") }
  }

  private var parts: URLParts { URLParts(url.absoluteString) }

  private mutating func set(_ parts: URLParts) {
    if let changed = URL(text: parts.description) { url = changed }
  }
}
