public import FaradayCore

extension Response {
  /// The values of newline-delimited JSON (NDJSON, JSON Lines), each line decoded as this type.
  ///
  ///     let feed = try await connection.get("feed") { $0.options.delivery = .streamed }
  ///     for try await event in feed.jsonLines(of: Event.self) { print(event) }
  ///
  /// A line ends with LF, CR or CRLF; empty lines are passed over, and the last line needs no end. A ``FaradayCoding/JSONValue``
  /// is parsed by its own parser, any other type by the decoder.
  ///
  /// - Parameters:
  ///   - limit: the longest line in bytes, 1 MiB by default. A longer one throws ``FaradayStreams/ElementTooLarge``.
  ///   - onInvalid: called with a line that cannot be decoded, which is then passed over. If nil, the error is thrown, and ends
  ///     the iteration.
  public func jsonLines<Value: Decodable>(
    of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), upTo limit: Int = 1 << 20,
    onInvalid: JSONElements<Value>.InvalidHandler? = nil
  ) -> JSONElements<Value> {
    JSONElements(source: .response(self), framing: .lines, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }

  /// The values of a JSON text sequence (RFC 7464, `application/json-seq`), each text decoded as this type.
  ///
  ///     for try await feature in response.jsonSequence(of: Feature.self, onInvalid: { print($0) }) { print(feature) }
  ///
  /// A text begins with a record separator, U+001E, and ends with a line feed. One that is truncated (section 2.4) cannot be
  /// decoded: ``FaradayStreams/UndecodableElement/isTruncated``. So is a number or literal without white space behind it, which
  /// may be a part of another.
  ///
  /// - Parameters:
  ///   - limit: the longest text in bytes, 1 MiB by default. A longer one throws ``FaradayStreams/ElementTooLarge``.
  ///   - onInvalid: called with a text that cannot be decoded, which is then passed over, as section 2.3 has it. If nil, the
  ///     error is thrown, and ends the iteration.
  public func jsonSequence<Value: Decodable>(
    of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), upTo limit: Int = 1 << 20,
    onInvalid: JSONElements<Value>.InvalidHandler? = nil
  ) -> JSONElements<Value> {
    JSONElements(source: .response(self), framing: .separators, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }
}

extension Connection {
  /// Sends a GET and decodes its response, newline-delimited JSON, line by line as it arrives.
  ///
  ///     for try await event in connection.jsonLines("feed", of: Event.self) { print(event) }
  ///
  /// Each iteration sends the request, with `Accept: application/x-ndjson` unless it has its own, streamed, and without
  /// ``FaradayCore/Timeouts/total``, unless `edit` sets one. A status other than 2xx throws ``FaradayCore/UnexpectedStatus``. The
  /// other arguments are those of `request` and of ``FaradayCore/Response/jsonLines(of:decoder:upTo:onInvalid:)``.
  public func jsonLines<Value: Decodable>(
    _ path: String = "", of type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], upTo limit: Int = 1 << 20,
    onInvalid: JSONElements<Value>.InvalidHandler? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> JSONElements<Value> {
    let request = Result {
      try streamed(
        "application/x-ndjson", .get, path, path: variables, query: query, headers: headers, body: .empty, edit: edit)
    }
    return JSONElements(
      source: .connection(self, request), framing: .lines, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }

  /// Sends a GET and decodes its response, a JSON text sequence (RFC 7464), text by text as it arrives.
  ///
  /// As `jsonLines`, with `Accept: application/json-seq`, and the arguments of
  /// ``FaradayCore/Response/jsonSequence(of:decoder:upTo:onInvalid:)``.
  public func jsonSequence<Value: Decodable>(
    _ path: String = "", of type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], upTo limit: Int = 1 << 20,
    onInvalid: JSONElements<Value>.InvalidHandler? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> JSONElements<Value> {
    let request = Result {
      try streamed(
        "application/json-seq", .get, path, path: variables, query: query, headers: headers, body: .empty, edit: edit)
    }
    return JSONElements(
      source: .connection(self, request), framing: .separators, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }
}
