public import FaradayCore

/// Header fields. An invalid name or value, such as one with a line break, throws ``FaradayCore/InvalidValueError`` when the
/// resource is loaded. Names are case-insensitive.
extension ServiceResource {
  /// Sets a header field, and replaces all fields of equal name; nil changes nothing.
  public func header(_ name: String, _ value: String?) -> Self {
    guard let value else { return self }
    return changed { resource in
      do { try resource.wanted.headers.set(name: name, value: value) } catch { resource.fail(error) }
    }
  }

  /// Sets header fields, each replacing all fields of equal name; nil changes nothing. If names differ only in case, the last
  /// one, sorted by name, wins.
  public func headers(_ headers: [String: String?]) -> Self {
    headers.sorted { $0.key < $1.key }.reduce(self) { $0.header($1.key, $1.value) }
  }

  /// Sets header fields, and replaces all fields of equal names.
  public func headers(_ fields: HTTPFields) -> Self {
    changed { resource in
      for name in Set(fields.map(\.name)) { resource.wanted.headers[fields: name] = fields[fields: name] }
    }
  }

  /// Sets the `Content-Type` for any body; only a multipart form replaces it.
  public func contentType(_ type: MediaType) -> Self { changed { $0.wanted.headers[.contentType] = type.description } }

  /// Sets the credentials, and replaces earlier ones: `.authorized(with: .basic(user: name, password: password))`,
  /// `.authorized(with: .bearer(token))`. Credentials that are invalid in a header field throw
  /// ``FaradayCore/InvalidValueError`` when the resource is loaded.
  public func authorized(with credentials: Credentials) -> Self {
    changed { $0.wanted = $0.wanted.authorized(with: credentials) }
  }
}
