public import FaradayCore
internal import FaradayRequests

/// Header fields. One that may not be sent, because of a line break or a name that is no token, makes the loading throw
/// ``FaradayCore/InvalidHeader``.
extension ServiceResource {
  /// With this header field in the place of all of its name; nil changes nothing.
  public func header(_ name: String, _ value: String?) -> Self {
    guard let value else { return self }
    return changed { resource in
      do { try resource.wanted.headers.set(name, value) } catch { resource.fail(error) }
    }
  }

  /// With these header fields, each in the place of all of its name; nil changes nothing. Names that differ in their case only
  /// are the same, and the last in their order counts.
  public func headers(_ headers: [String: String?]) -> Self {
    headers.sorted { $0.key < $1.key }.reduce(self) { $0.header($1.key, $1.value) }
  }

  /// With these header fields, in the place of all of their names.
  public func headers(_ fields: HTTPFields) -> Self {
    changed { resource in
      for name in Set(fields.map(\.name)) { resource.wanted.headers[fields: name] = fields[fields: name] }
    }
  }

  /// With this `Content-Type`, whatever the body; only a multipart form has its own in any case.
  public func contentType(_ type: MediaType) -> Self { changed { $0.wanted.headers[.contentType] = type.description } }

  /// With credentials (Basic, RFC 7617), in the place of others. A user with a colon in it cannot be sent.
  public func authorizationHeader(username: String, password: String) -> Self {
    changed { $0.wanted = $0.wanted.authenticated(with: .basicAuth(username: username, password: password)) }
  }

  /// With a token (Bearer, RFC 6750), in the place of other credentials.
  public func authorizationHeader(bearer token: String) -> Self {
    changed { $0.wanted = $0.wanted.authenticated(with: .bearerToken(token)) }
  }
}
