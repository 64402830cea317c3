internal import FaradayCoding
public import FaradayCore

extension RequestConvertible {
  /// The request as it is sent. Header fields of the authentication provider, which are secret, override those of the body
  /// provider, and these the request's own. A connection adds its options, and its headers if the request is same-origin.
  ///
  /// Throws ``FaradayCore/TransportError/Code/invalidURL``, ``FaradayCoding/UnencodableBody``, and what the providers throw.
  public func request(for connection: Connection? = nil) throws -> Request {
    let secrets = connection?.secrets ?? Secrets()
    guard let base = URL(text: baseURL) else { throw TransportError(invalidURL: baseURL, method: method, secrets: secrets) }
    var url = try URLJoining.append.url(of: endpoint, at: base, for: method, secrets)
    // A word is a URL to Foundation.
    guard let host = url.host(), !host.isEmpty else {
      throw TransportError(invalidURL: baseURL, method: method, secrets: secrets)
    }
    url = try query.appended(to: url, for: method)
    var request = try connection?.request(method, url: url) ?? Request(method, url: url)
    request.headers.override(with: headers)
    if request.headers[.accept] == nil, let accepted = responseDecoder.accepts { request.headers[.accept] = accepted }
    configure(&request.options)
    do {
      request.body = try bodyProvider.body(updating: &request.headers)
    } catch let error as UnencodableValue {
      throw UnencodableBody(error.underlying, encoding: error.value, of: request)
    }
    let unauthenticated = request.headers
    try authenticationProvider.update(&request.headers)
    // Whatever their names are: no other server gets them, and no log shows them.
    for name in Set(request.headers.map(\.name))
    where request.headers[fields: name] != unauthenticated[fields: name] && !request.secrets.contains(name) {
      request.markSecret(name.rawName)
    }
    return request
  }
}

extension URLJoining {
  /// As ``FaradayCore/URLJoining/join(_:to:)``; nil if the base is not a URL.
  func join(_ path: String, to base: String) -> URL? {
    URL(text: base).flatMap { join(path, to: $0) }
  }
}

extension QueryParameters {
  /// The URL with these items appended to its query.
  package func appended(to url: URL, for method: HTTPRequest.Method) throws -> URL {
    guard !items.isEmpty else { return url }
    guard let queried = URLJoining.append.join("?\(self)", to: url) else {
      throw TransportError(invalidURL: url.absoluteString, method: method)
    }
    return queried
  }
}
