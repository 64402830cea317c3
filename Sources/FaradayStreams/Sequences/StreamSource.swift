internal import FaradayCore

/// The source of a sequence of elements: a response, or a request that a connection sends for each iteration.
enum StreamSource: Sendable {
  case response(Response, accepting: StatusSet)
  case connection(Connection, Result<Request, any Error>)

  /// Returns the response, and its request if a connection has sent it. Throws ``FaradayCore/StatusError`` for a status that
  /// is not accepted.
  func open() async throws -> (response: Response, request: RequestSummary?) {
    switch self {
    case .response(let response, let accepted):
      try await response.check(accepted)
      return (response, nil)
    case .connection(let connection, let request):
      let request = try request.get()
      let response = try await connection.send(request)
      guard response.status.kind == .successful else { throw try await StatusError(response, to: request).withBody() }
      return (response, RequestSummary(request))
    }
  }
}

extension Connection {
  /// A source that sends a request, whose response is a stream of elements of this media type.
  func source(
    _ type: String?, _ method: HTTPRequest.Method, _ path: some URLReference, variables: [String: any ParameterValue]?,
    query: QueryParameters, headers: KeyValuePairs<String, String>, body: Body, edit: (inout Request) throws -> Void
  ) -> StreamSource {
    .connection(
      self,
      Result {
        try streamed(type, method, path, variables: variables, query: query, headers: headers, body: body, edit: edit)
      })
  }

  /// Creates a request whose response is a stream of elements of this media type.
  func streamed(
    _ type: String?, _ method: HTTPRequest.Method, _ path: some URLReference, variables: [String: any ParameterValue]?,
    query: QueryParameters, headers: KeyValuePairs<String, String>, body: Body, edit: (inout Request) throws -> Void
  ) throws -> Request {
    var request = try request(method, path, variables: variables, query: query, headers: headers, body: body) { request in
      if let type, request.headers[.accept] == nil { request.headers[.accept] = type }
      request.options.timeouts.total = nil
      request.options.timeouts.totalExcludingQueue = nil
      try edit(&request)
    }
    request.options.delivery = .streamed
    return request
  }
}
