public import FaradayCoding
public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

/// The verbs once more, for those who do not wait: each sends its request at once and returns a promise of the response.
///
///     connection.promise.get("users").map(\.status).onSuccess { status in print(status) }
///
///     let upload = connection.promise.put("backup", body: try .file(path)).progress { print($0.fraction ?? 0) }
///     upload.cancel()
///
/// They take what the asynchronous ones take. `edit` is called before they return. All errors are the promise's outcome, also those of
/// a request that could not be built. A cancelled promise is settled at once, and its request ended as soon as the adapter can: a
/// callback that is being called meanwhile is not the last one for certain.
///
/// The promises of those that send a body tell of its progress as the adapter does, and of the whole when the response is there.
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

  /// Sends a request as it is.
  @discardableResult
  public func run(_ request: Request) -> ProgressablePromise<Response> { send { request } }

  private func send(_ make: () throws -> Request) -> ProgressablePromise<Response> {
    do {
      let request = try make()
      return ProgressablePromise { [caller] report in try await caller.run(request, reporting: report) }
    } catch {
      return ProgressablePromise(Promise(.failure(error)))
    }
  }

  /// As ``send(_:)``, without a body whose progress there is.
  private func fetch(_ make: () throws -> Request) -> Promise<Response> {
    do {
      let request = try make()
      return Promise { [caller] in try await caller.run(request) }
    } catch {
      return Promise(.failure(error))
    }
  }

  /// Sends a GET.
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

  /// Sends a HEAD; its response has no body.
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

  /// Sends a POST.
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

  /// Sends a PUT.
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

  /// Sends a PATCH.
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

  /// Sends a DELETE.
  @discardableResult
  public func delete(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    fetch {
      try caller.request(
        .delete, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }

  /// Sends an OPTIONS.
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

  /// Sends a POST of the value as JSON.
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

  /// Sends a PUT of the value as JSON.
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

  /// Sends a PATCH of the value as JSON.
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
}
