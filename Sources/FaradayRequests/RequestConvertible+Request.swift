internal import FaradayCoding
public import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension RequestConvertible {
  /// The request as it is sent: the headers, over them what the body provider sets, over them what the authentication provider
  /// sets. A connection adds its own headers, if it has the same origin, and its options.
  ///
  /// Throws ``FaradayCore/TransportError/Code/invalidURL``, ``FaradayCoding/UnencodableBody``, and what the providers throw.
  public func request(for connection: Connection? = nil) throws -> Request {
    guard var url = URLJoining.append.join(endpoint, to: baseURL) else {
      throw TransportError(invalidURL: baseURL, method: method)
    }
    if !query.items.isEmpty {
      guard let queried = URLJoining.append.join("?\(query)", to: url) else {
        throw TransportError(invalidURL: url.absoluteString, method: method)
      }
      url = queried
    }
    var request = try connection?.request(method, url: url) ?? Request(method, url: url)
    for name in Set(headers.map(\.name)) { request.headers[fields: name] = headers[fields: name] }
    if request.headers[.accept] == nil, let accepted = responseDecoder.accepts { request.headers[.accept] = accepted }
    configure(&request.options)
    do {
      request.body = try bodyProvider.body(updating: &request.headers)
    } catch let error as UnencodableValue {
      throw UnencodableBody(error.underlying, encoding: error.value, of: request)
    }
    try authenticationProvider.update(&request.headers)
    return request
  }
}

extension URLJoining {
  /// As ``FaradayCore/URLJoining/join(_:to:)``, with a base that may turn out to be no URL.
  func join(_ path: String, to base: String) -> URL? {
    URL(text: base).flatMap { join(path, to: $0) }
  }
}
