public import FaradayCore
internal import FaradayRequests

/// Header fields. An invalid name or value, such as one with a line break, throws ``FaradayCore/InvalidHeader`` when the
/// resource is loaded. Names are case-insensitive.
extension ServiceResource {
  /// Sets a header field, replacing all of the same name; nil changes nothing.
  public func header(_ name: String, _ value: String?) -> Self {
    guard let value else { return self }
    return changed { resource in
      do { try resource.wanted.headers.set(name, value) } catch { resource.fail(error) }
    }
  }

  /// Sets header fields, each replacing all of the same name; nil changes nothing. Of names that differ only in case the last
  /// one, sorted by name, wins.
  public func headers(_ headers: [String: String?]) -> Self {
    headers.sorted { $0.key < $1.key }.reduce(self) { $0.header($1.key, $1.value) }
  }

  /// Sets header fields, replacing all of the same names.
  public func headers(_ fields: HTTPFields) -> Self {
    changed { resource in
      for name in Set(fields.map(\.name)) { resource.wanted.headers[fields: name] = fields[fields: name] }
    }
  }

  /// Sets the `Content-Type`, whatever the body; only a multipart form replaces it.
  public func contentType(_ type: MediaType) -> Self { changed { $0.wanted.headers[.contentType] = type.description } }

  /// Sets the credentials, replacing others: `.authorized(with: .basic(user: name, password: password))`,
  /// `.authorized(with: .bearer(token))`. Those that fit in no header field make the loading throw ``FaradayCore/InvalidHeader``.
  public func authorized(with credentials: Credentials) -> Self {
    changed { $0.wanted = $0.wanted.authenticated(with: credentials) }
  }
}
