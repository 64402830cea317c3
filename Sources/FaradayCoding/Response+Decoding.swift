public import FaradayCore

extension Response {
  /// Decodes the JSON body as a value of this type.
  ///
  ///     let user = try await response.decode(User.self)
  ///
  /// An optional is nil exactly when the body is empty. The package's parser parses a ``FaradayCoding/JSONValue``. The decoder
  /// decodes any other type. Throws ``FaradayCoding/BodyDecodingError`` if the body cannot be decoded, and the errors of
  /// reading a streamed body.
  ///
  /// - Parameters:
  ///   - decoder: nil means the ``FaradayCore/Options/jsonDecoder`` of the request.
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``FaradayCore/StatusError`` with the
  ///     beginning of the body: `try await response.decode(Problem.self, accepting: .any)` decodes the body of an error.
  ///   - limit: the maximum number of bytes. By default ``FaradayCore/Options/maximumBodySize`` of the request, which is 64 MiB
  ///     by default. A longer body throws ``FaradayCore/BodyError`` with the reason `.tooLarge`.
  ///   - rejectsDuplicateNames: whether two members with the same name are an error. Otherwise the first member counts. False
  ///     by default, unless the response has passed a `JSONDecoding` middleware that rejects them. If true, the body is parsed
  ///     twice.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil, accepting accepted: StatusSet = .successful,
    upTo limit: Int? = nil, rejectsDuplicateNames: Bool = false
  ) async throws -> Value {
    let data = try await data(accepting: accepted, upTo: limit)
    let decoder = decoder ?? jsonDecoder ?? JSONDecoder()
    do {
      let isUntyped = type == JSONValue.self || type == JSONValue?.self
      if isUntyped, !data.isEmpty, let json = try untypedJSON(data, rejectsDuplicateNames) as? Value { return json }
      if rejectsDuplicateNames || rules?.rejectsDuplicateNames == true, !data.isEmpty {
        _ = try JSONValue(data: data, rejectsDuplicateNames: true)
      }
      if let optional = type as? any DecodableOptional.Type, let value = try optional.decode(data, decoder) as? Value {
        return value
      }
      guard !data.isEmpty else { throw BodyError(.empty) }
      return try decoder.value(type, from: data)
    } catch {
      throw BodyDecodingError(error, decoding: type, of: self, whose: data)
    }
  }
}

extension Response {
  /// The body as untyped JSON, with any `Content-Type`.
  ///
  ///     let name = try await connection.get("users/42").json()["name"]?.string
  ///
  /// Equal to ``decode(_:decoder:accepting:upTo:rejectsDuplicateNames:)`` with the type ``FaradayCoding/JSONValue``. A
  /// `JSONDecoding` middleware sets the maximum depth, and whether duplicate names are an error.
  public func json(accepting accepted: StatusSet = .successful, upTo limit: Int? = nil) async throws -> JSONValue {
    try await decode(accepting: accepted, upTo: limit)
  }

  private func untypedJSON(_ data: Data, _ rejectsDuplicateNames: Bool) throws -> JSONValue {
    try JSONValue(
      data: data, maximumDepth: rules?.maximumDepth ?? JSONValue.standardMaximumDepth,
      rejectsDuplicateNames: rejectsDuplicateNames || rules?.rejectsDuplicateNames == true)
  }

  /// The rules of a `JSONDecoding` middleware for the JSON of the body; nil without the middleware.
  package var rules: JSONRules? {
    get { self[JSONRules.Key.self] }
    set { self[JSONRules.Key.self] = newValue }
  }
}

/// The rules for parsing the JSON of a response.
package struct JSONRules: Sendable {
  package var maximumDepth = JSONValue.standardMaximumDepth
  package var rejectsDuplicateNames = false

  package init(maximumDepth: Int, rejectsDuplicateNames: Bool) {
    self.maximumDepth = maximumDepth
    self.rejectsDuplicateNames = rejectsDuplicateNames
  }

  fileprivate enum Key: ResponseKey { typealias Value = JSONRules }
}

private protocol DecodableOptional {
  static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  fileprivate static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self {
    data.isEmpty ? nil : try decoder.value(Wrapped.self, from: data)
  }
}

extension JSONDecoder {
  /// Decodes a value of the type. The parser of ``FaradayCoding/JSONValue`` parses untyped JSON.
  package func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if type == JSONValue.self, let json = try JSONValue(data: data) as? Value { return json }
    return try decode(type, from: data)
  }
}
