public import FaradayCore

extension Connection {
  /// Sends a request and decodes its response, a stream of JSON texts, element by element on arrival.
  ///
  ///     for try await event in connection.elements("feed", as: Event.self) { print(event) }
  ///
  /// Each iteration sends the request, a GET by default. It is streamed, and has no ``FaradayCore/Timeouts/total`` unless
  /// `edit` sets one. A status other than 2xx throws ``FaradayCore/StatusError``. The other arguments are those of `request`
  /// and of ``FaradayCore/Response/elements(as:framing:decoder:accepting:upTo:onInvalid:)``.
  ///
  /// - Parameter framing: determines the `Accept` field of a request that has none: `application/x-ndjson` for lines,
  ///   `application/json-seq` for a sequence, both by default.
  public func elements<Value: Decodable>(
    _ path: some URLReference = "", as type: Value.Type, framing: JSONFraming? = nil, decoder: JSONDecoder? = nil,
    method: HTTPRequest.Method = .get, variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, upTo limit: Int = 1 << 20,
    edit: (inout Request) throws -> Void = { _ in }, onInvalid: JSONElements<Value>.InvalidHandler? = nil
  ) -> JSONElements<Value> {
    let source = source(
      framing.acceptedTypes, method, path, variables: variables, query: query, headers: headers, body: body, edit: edit)
    return JSONElements(source: source, framing: framing, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }
}

extension Response {
  /// Returns the values of a stream of JSON texts, with each text decoded as this type.
  ///
  ///     let feed = try await connection.stream("feed")
  ///     for try await event in feed.elements(as: Event.self) { print(event) }
  ///
  /// ``FaradayCoding/JSONValue`` has its own parser. The decoder decodes all other types; by default it is the
  /// ``FaradayCore/Options/jsonDecoder`` of the request.
  ///
  /// - Parameters:
  ///   - framing: the framing of the elements. By default ``FaradayStreams/JSONFraming/sequence`` for a response with the
  ///     `Content-Type` `application/json-seq`, and ``FaradayStreams/JSONFraming/lines`` for others.
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``FaradayCore/StatusError``.
  ///   - limit: the longest element in bytes, 1 MiB by default. A longer one throws ``FaradayCore/BodyError`` with the reason
  ///     `.elementTooLarge`.
  ///   - onInvalid: called with an element that cannot be decoded, which is then skipped. If nil, the error is thrown and ends
  ///     the iteration.
  public func elements<Value: Decodable>(
    as type: Value.Type = Value.self, framing: JSONFraming? = nil, decoder: JSONDecoder? = nil,
    accepting accepted: StatusSet = .successful, upTo limit: Int = 1 << 20,
    onInvalid: JSONElements<Value>.InvalidHandler? = nil
  ) -> JSONElements<Value> {
    JSONElements(
      source: .response(self, accepting: accepted), framing: framing, decoder: decoder, limit: limit, onInvalid: onInvalid)
  }
}

extension JSONFraming? {
  fileprivate var acceptedTypes: String {
    switch self {
    case .lines: "application/x-ndjson"
    case .sequence: "application/json-seq"
    case nil: "application/x-ndjson, application/json-seq"
    }
  }
}
