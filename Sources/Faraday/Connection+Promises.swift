public import FaradayCoding
public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

/// The promise-returning variants of a connection's verbs: each sends its request at once and returns a promise of the
/// response.
///
///     connection.promise.get("users").map(\.status).onSuccess { status in print(status) }
///
///     let upload = connection.promise.put("backup", body: try .file(path)).progress { print($0.fraction ?? 0) }
///     upload.cancel()
///
/// They take the arguments of the asynchronous verbs. `edit` is called before they return. All errors are the promise's
/// outcome, also those of a request that could not be built. Cancelling a promise settles it at once and cancels its request; a
/// callback may still be called once more meanwhile.
///
/// Promises of verbs with a body report the upload's progress as the adapter does, and the whole when the response has arrived.
extension Promising where Caller == Connection {
  /// Sends a request with any method.
  @discardableResult
  public func run(
    _ method: HTTPRequest.Method, _ path: String = "", path variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        method, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends a request that is built already.
  @discardableResult
  public func run(_ request: Request) -> ProgressablePromise<Response> { send { request } }

  func send(_ make: () throws -> Request) -> ProgressablePromise<Response> {
    do {
      let request = try make()
      return ProgressablePromise { [caller] report in try await caller.run(request, reporting: report) }
    } catch {
      return ProgressablePromise(Promise(.failure(error)))
    }
  }

  /// As `send(_:)`, for requests without upload progress.
  private func fetch(_ make: () throws -> Request) -> Promise<Response> {
    do {
      let request = try make()
      return Promise { [caller] in try await caller.run(request) }
    } catch {
      return Promise(.failure(error))
    }
  }

  /// Sends a GET request.
  @discardableResult
  public func get(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    fetch {
      try caller.request(
        .get, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
  }

  /// Sends a HEAD request; the response has no body.
  @discardableResult
  public func head(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    fetch {
      try caller.request(
        .head, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
  }

  /// Sends a POST request.
  @discardableResult
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .post, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends a PUT request.
  @discardableResult
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .put, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends a PATCH request.
  @discardableResult
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .patch, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends a DELETE request.
  @discardableResult
  public func delete(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .delete, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends an OPTIONS request.
  @discardableResult
  public func options(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    fetch {
      try caller.request(
        .options, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
  }

  /// Sends a POST request with the value as JSON body.
  @discardableResult
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .post, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }

  /// Sends a POST request with untyped JSON as body.
  @discardableResult
  public func post(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .post, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }

  /// Sends a PUT request with the value as JSON body.
  @discardableResult
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .put, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }

  /// Sends a PUT request with untyped JSON as body.
  @discardableResult
  public func put(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .put, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }

  /// Sends a PATCH request with the value as JSON body.
  @discardableResult
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: some Encodable, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .patch, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }

  /// Sends a PATCH request with untyped JSON as body.
  @discardableResult
  public func patch(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], json value: JSONValue, encoder: JSONEncoder = .sortingKeys,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        .patch, path, path: variables, query: query, headers: headers, json: value, encoder: encoder, timeout: timeout,
        edit: edit)
    }
  }
}
