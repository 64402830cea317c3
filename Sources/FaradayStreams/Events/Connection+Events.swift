public import FaradayCore

/// Server-sent events (WHATWG HTML, section 9.2), as async sequences.
extension Connection {
  /// Returns the events of a stream, with reconnections.
  ///
  ///     for try await event in connection.events("prices") {
  ///       print(event.type, event.data)
  ///     }
  ///
  /// Nothing is sent before the iteration. A stream that ends or breaks off is requested again after the last delivered event
  /// (`Last-Event-ID`). If the server stores its events, no event is lost or repeated. A `Last-Event-ID` in `headers` continues
  /// an earlier stream. See ``FaradayStreams/EventStream/Reconnection``.
  ///
  /// The request is sent with `Accept: text/event-stream` and `Cache-Control: no-cache` unless the request has these fields. It
  /// is streamed, and has no ``FaradayCore/Timeouts/total``, unless `edit` sets one. ``FaradayCore/Timeouts/idle``, 60 seconds
  /// by default, is the heartbeat: a connection without a byte for that time is closed and reconnected. Comments count as
  /// bytes. The connection's middleware follows redirects, adds credentials and encodes bodies. Its `Retry`, if there is one,
  /// retries each attempt.
  ///
  /// The other arguments are those of `request`.
  ///
  /// - Parameters:
  ///   - method: GET by default.
  ///   - body: the body of a POST, for instance. With a body that can be read only once there are no reconnections.
  ///   - reconnects: nil means ``FaradayStreams/EventStream/Reconnection/automatic`` for an idempotent method, and
  ///     ``FaradayStreams/EventStream/Reconnection/never`` for others, such as POST.
  ///   - limits: the limits of a line and an event, 1 MiB and 8 MiB by default.
  public func events(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], method: HTTPRequest.Method = .get, body: Body = .empty,
    reconnects: EventStream.Reconnection? = nil, limits: EventStreamLimits = EventStreamLimits(),
    edit: (inout Request) throws -> Void = { _ in }
  ) -> EventStream {
    let request = Result {
      try streamed(
        "text/event-stream", method, path, variables: variables, query: query, headers: headers, body: body
      ) { request in
        if request.headers[.cacheControl] == nil { request.headers[.cacheControl] = "no-cache" }
        try edit(&request)
      }
    }
    return EventStream(source: .connection(self, request, reconnects), limits: limits)
  }

  /// Returns the events of a stream, with their data decoded from JSON.
  ///
  ///     let answer = connection.events(
  ///       "chat", as: Token.self, method: .post, body: .encodable(prompt), until: "[DONE]")
  ///     for try await token in answer { print(token.text, terminator: "") }
  ///
  /// An event that cannot be decoded throws ``FaradayCoding/BodyDecodingError`` and ends the stream. A
  /// ``FaradayCoding/JSONValue`` has its own parser. The decoder is by default the ``FaradayCore/Options/jsonDecoder`` of the
  /// connection's defaults. Otherwise equal to
  /// ``FaradayCore/Connection/events(_:variables:query:headers:method:body:reconnects:limits:edit:)``.
  ///
  /// - Parameter sentinel: the data of the event that ends the stream, and is not returned. A stream that ends before it, and
  ///   does not reconnect, throws ``FaradayStreams/EventStreamError/Reason/endedEarly``. Nil by default.
  public func events<Value: Decodable>(
    _ path: some URLReference = "", as type: Value.Type, decoder: JSONDecoder? = nil,
    variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], method: HTTPRequest.Method = .get, body: Body = .empty,
    until sentinel: String? = nil, reconnects: EventStream.Reconnection? = nil, limits: EventStreamLimits = EventStreamLimits(),
    edit: (inout Request) throws -> Void = { _ in }
  ) -> DecodedEvents<Value> {
    let events = events(
      path, variables: variables, query: query, headers: headers, method: method, body: body, reconnects: reconnects,
      limits: limits,
      edit: edit)
    return DecodedEvents(events: events, decoder: decoder ?? defaults.jsonDecoder ?? JSONDecoder(), sentinel: sentinel)
  }
}

extension Response {
  /// Returns the events of a response that is an event stream, without reconnections.
  ///
  ///     let response = try await connection.stream("prices")
  ///     for try await event in response.events() { print(event.type, event.data) }
  ///
  /// The sequence ends with the body; an interrupted body throws. Throws ``FaradayCore/StatusError`` for a status that is
  /// not accepted, 2xx by default, and ``FaradayStreams/EventStreamError`` for a content type other than `text/event-stream`.
  /// 204 has no events. A streamed body can be read once.
  public func events(
    accepting accepted: StatusSet = .successful, limits: EventStreamLimits = EventStreamLimits()
  ) -> EventStream {
    EventStream(source: .response(self, accepted), limits: limits)
  }

  /// Returns the events of a response that is an event stream, with their data decoded from JSON, without reconnections.
  ///
  /// Works like `connection.events(_:as:…)`.
  ///
  /// - Parameter sentinel: the data of the event that ends the stream, and is not returned. Nil by default.
  public func events<Value: Decodable>(
    as type: Value.Type, decoder: JSONDecoder? = nil, accepting accepted: StatusSet = .successful,
    until sentinel: String? = nil, limits: EventStreamLimits = EventStreamLimits()
  ) -> DecodedEvents<Value> {
    DecodedEvents(
      events: events(accepting: accepted, limits: limits), decoder: decoder ?? jsonDecoder ?? JSONDecoder(), sentinel: sentinel)
  }
}
