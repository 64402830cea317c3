public import FaradayCore

extension RequestConvertible {
  /// Returns the HTTP request. The secret header fields of the authentication provider override the fields of the body
  /// provider, which override the fields of the request. A connection adds its options, and its headers if the request is
  /// same-origin.
  ///
  /// Throws ``FaradayCore/TransportError/Code/invalidURL``, ``FaradayCoding/BodyEncodingError``, and the errors of the
  /// providers.
  public func request(for connection: Connection? = nil) throws -> Request {
    let secrets = connection?.secrets ?? Secrets()
    guard let base = URL(text: baseURL) else { throw TransportError(invalidURL: baseURL, method: method, secrets: secrets) }
    var url = try URLJoining.append.url(of: endpoint, at: base, for: method, secrets)
    // Foundation accepts a single word as a URL.
    guard let host = url.host(), !host.isEmpty else {
      throw TransportError(invalidURL: baseURL, method: method, secrets: secrets)
    }
    url = try query.appended(to: url, for: method)
    var request = try connection?.request(method, at: url) ?? Request(method, url: url)
    request.headers.override(with: headers)
    request.headers.setAccept(for: responseDecoder)
    configure(&request.options)
    try request.setBody(bodyProvider)
    let unauthenticated = request.headers
    try credentialsProvider.update(&request.headers)
    // Secret, with any names: removed from cross-origin requests, redacted in logs.
    for name in Set(request.headers.map(\.name))
    where request.headers[fields: name] != unauthenticated[fields: name] && !request.secrets.contains(name) {
      request.markSecret(name.rawName)
    }
    return request
  }
}

extension URLJoining {
  /// Joins as ``FaradayCore/URLJoining/join(_:to:)`` does. Returns nil if the base is not a URL.
  func join(_ path: String, to base: String) -> URL? {
    URL(text: base).flatMap { join(path, to: $0) }
  }
}

extension QueryParameters {
  /// Returns the URL with these items appended to its query.
  package func appended(to url: URL, for method: HTTPRequest.Method) throws -> URL {
    guard !items.isEmpty else { return url }
    guard let queried = URLJoining.append.join("?\(self)", to: url) else {
      throw TransportError(invalidURL: url.absoluteString, method: method)
    }
    return queried
  }
}
