public import FaradayCore

/// Modifiers: `with` replaces all, `adding` adds, `setting` replaces what has the same name.
extension TypedRequest {
  /// With another method.
  public func using(method: HTTPRequest.Method) -> Self { changed { $0.method = method } }

  /// With these header fields and no others.
  public func with(headers: HTTPFields) -> Self { changed { $0.headers = headers } }

  /// With one more header field; others of its name stay.
  public func adding(headerField field: HTTPField) -> Self { adding(headerFields: field) }

  /// With more header fields; others of their names stay.
  public func adding(headerFields fields: HTTPField...) -> Self { adding(headerFields: fields) }

  /// With more header fields; others of their names stay.
  public func adding(headerFields fields: [HTTPField]) -> Self {
    changed { request in
      for field in fields { request.headers.append(field) }
    }
  }

  /// With this header field in the place of all of its name.
  public func setting(headerField field: HTTPField) -> Self { changed { $0.headers[fields: field.name] = [field] } }

  /// With these query items and no others, but for those of the base URL and the endpoint.
  public func with(query: QueryParameters) -> Self { changed { $0.query = query } }

  /// With one more query item.
  public func adding(queryItem item: QueryParameters.Item) -> Self { adding(queryItems: item) }

  /// With more query items, behind the others.
  public func adding(queryItems items: QueryParameters.Item...) -> Self { adding(queryItems: items) }

  /// With more query items, behind the others.
  public func adding(queryItems items: [QueryParameters.Item]) -> Self { changed { $0.query.items += items } }

  /// With a body.
  public func sending(_ body: BodyProvider) -> Self { changed { $0.bodyProvider = body } }

  /// With credentials.
  public func authenticated(with authentication: AuthenticationProvider) -> Self {
    changed { $0.authenticationProvider = authentication }
  }

  /// With another idea of what response is acceptable.
  public func validating(_ validator: ResponseValidator) -> Self { changed { $0.responseValidator = validator } }

  /// Fails with ``FaradayCore/TransportError/Code/totalTimeout`` if an attempt takes longer.
  public func timeout(after limit: Duration) -> Self { configured { $0.timeouts.total = limit } }
}

extension HTTPField {
  public static func contentType(_ type: MediaType) -> HTTPField { HTTPField(name: .contentType, value: type.description) }
  public static func accept(_ type: MediaType) -> HTTPField { HTTPField(name: .accept, value: type.description) }
  public static func acceptLanguage(_ language: String) -> HTTPField { HTTPField(name: .acceptLanguage, value: language) }
}
