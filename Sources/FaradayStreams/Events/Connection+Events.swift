public import FaradayCore

/// Server-sent events (WHATWG HTML, section 9.2), as async sequences.
extension Connection {
  /// The events of a stream, with reconnections.
  ///
  ///     for try await event in connection.events("prices") {
  ///       print(event.type, event.data)
  ///     }
  ///
  /// Nothing is sent before the iteration. A stream that ends or breaks off is requested again, behind the last event that was
  /// delivered (`Last-Event-ID`): of a server that keeps its events, none is lost and none comes twice. A `Last-Event-ID` in
  /// `headers` continues a stream of before. See ``FaradayStreams/EventStream/Reconnection``.
  ///
  /// The request is sent with `Accept: text/event-stream` and `Cache-Control: no-cache` unless it has its own, streamed, and
  /// without ``FaradayCore/Timeouts/total``, unless `edit` sets one. ``FaradayCore/Timeouts/idle``, 60 seconds by default, is the
  /// heartbeat: a connection without a byte for so long, comments included, is closed and made again. Redirects are followed,
  /// credentials added and bodies encoded by the connection's middleware; its `Retry`, if it has one, retries each attempt by
  /// itself.
  ///
  /// The other arguments are those of `request`.
  ///
  /// - Parameters:
  ///   - method: GET by default.
  ///   - body: of a POST, for instance. One that can be read only once does not go with a reconnection.
  ///   - reconnects: nil is ``FaradayStreams/EventStream/Reconnection/automatic`` for an idempotent method, and
  ///     ``FaradayStreams/EventStream/Reconnection/never`` for others, such as POST.
  ///   - limits: of a line and an event, 1 MiB and 8 MiB by default.
  public func events(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], method: HTTPRequest.Method = .get, body: Body = .empty,
    reconnects: EventStream.Reconnection? = nil, limits: EventStreamLimits = EventStreamLimits(),
    edit: (inout Request) throws -> Void = { _ in }
  ) -> EventStream {
    let request = Result {
      try streamed(
        "text/event-stream", method, path, path: variables, query: query, headers: headers, body: body
      ) { request in
        if request.headers[.cacheControl] == nil { request.headers[.cacheControl] = "no-cache" }
        try edit(&request)
      }
    }
    return EventStream(source: .connection(self, request, reconnects), limits: limits)
  }

  /// The events of a stream, the data of each decoded from JSON.
  ///
  ///     let answer = connection.events(
  ///       "chat", of: Token.self, method: .post, body: .value(prompt), until: "[DONE]")
  ///     for try await token in answer { print(token.text, terminator: "") }
  ///
  /// An event that cannot be decoded throws ``FaradayStreams/UndecodableElement`` and ends the stream. A
  /// ``FaradayCoding/JSONValue`` is parsed by its own parser. Otherwise as
  /// ``FaradayCore/Connection/events(_:path:query:headers:method:body:reconnects:limits:edit:)``.
  ///
  /// - Parameter sentinel: the data of the event that ends the stream, and is none of its values. A stream that ends before it,
  ///   and does not reconnect, throws ``FaradayStreams/EventStreamError/Reason/endedEarly``. Nil by default.
  public func events<Value: Decodable>(
    _ path: String = "", of type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], method: HTTPRequest.Method = .get, body: Body = .empty,
    until sentinel: String? = nil, reconnects: EventStream.Reconnection? = nil, limits: EventStreamLimits = EventStreamLimits(),
    edit: (inout Request) throws -> Void = { _ in }
  ) -> DecodedEvents<Value> {
    let events = events(
      path, path: variables, query: query, headers: headers, method: method, body: body, reconnects: reconnects, limits: limits,
      edit: edit)
    return DecodedEvents(events: events, decoder: decoder, sentinel: sentinel)
  }

  /// A request whose response is a stream of elements of this media type.
  func streamed(
    _ type: String, _ method: HTTPRequest.Method, _ path: String, path variables: [String: any ParameterValue]?,
    query: QueryParameters, headers: KeyValuePairs<String, String>, body: Body, edit: (inout Request) throws -> Void
  ) throws -> Request {
    var request = try request(method, path, path: variables, query: query, headers: headers, body: body) { request in
      if request.headers[.accept] == nil { request.headers[.accept] = type }
      request.options.timeouts.total = nil
      request.options.timeouts.totalFromStart = nil
      try edit(&request)
    }
    request.options.delivery = .streamed
    return request
  }
}

extension Response {
  /// The events of a response that is an event stream, without reconnections.
  ///
  ///     let response = try await connection.get("prices") { $0.options.delivery = .streamed }
  ///     for try await event in response.events() { print(event.type, event.data) }
  ///
  /// They end where the body ends; a body that breaks off throws. Throws ``FaradayStreams/EventStreamError`` for a content type
  /// other than `text/event-stream`, whatever the status is; 204 has no events. A streamed body can be read once.
  public func events(limits: EventStreamLimits = EventStreamLimits()) -> EventStream {
    EventStream(source: .response(self), limits: limits)
  }

  /// The events of a response that is an event stream, the data of each decoded from JSON, without reconnections.
  ///
  /// As `connection.events(_:of:…)`.
  ///
  /// - Parameter sentinel: the data of the event that ends the stream, and is none of its values. Nil by default.
  public func events<Value: Decodable>(
    of type: Value.Type, decoder: JSONDecoder = JSONDecoder(), until sentinel: String? = nil,
    limits: EventStreamLimits = EventStreamLimits()
  ) -> DecodedEvents<Value> {
    DecodedEvents(events: events(limits: limits), decoder: decoder, sentinel: sentinel)
  }
}
