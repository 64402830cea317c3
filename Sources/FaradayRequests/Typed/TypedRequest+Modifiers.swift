public import FaradayCore

/// Modifiers, which return a changed copy: `with` replaces everything, `adding` appends, `setting` replaces fields of equal
/// name.
extension TypedRequest {
  /// Replaces the method.
  public func using(method: HTTPRequest.Method) -> Self { changed { $0.method = method } }

  /// Replaces all header fields.
  public func with(headers: HTTPFields) -> Self { changed { $0.headers = headers } }

  /// Appends a header field; other fields of equal name are kept.
  public func adding(headerField field: HTTPField) -> Self { adding(headerFields: field) }

  /// Appends header fields; other fields of equal names are kept.
  public func adding(headerFields fields: HTTPField...) -> Self { adding(headerFields: fields) }

  /// Appends header fields; other fields of equal names are kept.
  public func adding(headerFields fields: [HTTPField]) -> Self {
    changed { request in
      for field in fields { request.headers.append(field) }
    }
  }

  /// Sets a header field, and replaces all fields of equal name.
  public func setting(headerField field: HTTPField) -> Self { changed { $0.headers[fields: field.name] = [field] } }

  /// Replaces all query items, except the items of the base URL and the endpoint.
  public func with(query: QueryParameters) -> Self { changed { $0.query = query } }

  /// Appends a query item.
  public func adding(queryItem item: QueryParameters.Item) -> Self { adding(queryItems: item) }

  /// Appends query items.
  public func adding(queryItems items: QueryParameters.Item...) -> Self { adding(queryItems: items) }

  /// Appends query items.
  public func adding(queryItems items: [QueryParameters.Item]) -> Self { changed { $0.query.items += items } }

  /// Sets the body.
  public func sending(_ body: BodyProvider) -> Self { changed { $0.bodyProvider = body } }

  /// Sets the credentials: `.authorized(with: .basic(user: name, password: password))`.
  public func authorized(with credentials: Credentials) -> Self { authorized(with: .credentials(credentials)) }

  /// Sets a provider of credentials.
  public func authorized(with provider: CredentialsProvider) -> Self {
    changed { $0.credentialsProvider = provider }
  }

  /// Sets the validator of responses.
  public func validating(_ validator: ResponseValidator) -> Self { changed { $0.responseValidator = validator } }

  /// Limits the time of each attempt, up to the end of the body. After it, the attempt fails with
  /// ``FaradayCore/TransportError/Code/totalTimeout``.
  public func timeout(after limit: Duration) -> Self { configured { $0.timeouts.total = limit } }
}

extension HTTPField {
  /// A `Content-Type` field.
  public static func contentType(_ type: MediaType) -> HTTPField { HTTPField(name: .contentType, value: type.description) }
  /// An `Accept` field.
  public static func accept(_ type: MediaType) -> HTTPField { HTTPField(name: .accept, value: type.description) }
  /// An `Accept-Language` field: `cy, en;q=0.5`.
  public static func acceptLanguage(_ language: String) -> HTTPField { HTTPField(name: .acceptLanguage, value: language) }
}
