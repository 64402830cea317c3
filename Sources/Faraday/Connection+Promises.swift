public import FaradayCoding
public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

/// The promise-returning variants of a connection's verbs. Each call sends its request at once and returns a promise of the
/// response.
///
///     connection.promise.get("users").map(\.status).onSuccess { status in print(status) }
///
///     let upload = connection.promise.put("backup", body: try .file(path)).progress { print($0.fraction ?? 0) }
///     upload.cancel()
///
/// The calls take the arguments of the asynchronous verbs. `edit` is called before they return. All errors become the promise's
/// outcome, including errors of a request that could not be built. Cancelling a promise settles it at once and cancels its
/// request. A callback of the request may still be called once more.
///
/// A typed result is a promise of the asynchronous call: `connection.promise { try await $0.get("users/1", as: User.self) }`.
///
/// Promises of verbs with a body report the upload's progress from the adapter, and the complete size when the response has
/// arrived.
extension Promising where Caller == Connection {
  /// Sends a GET request.
  public var get: PromisedVerb { PromisedVerb(self, .get) }
  /// Sends a HEAD request; the response has no body.
  public var head: PromisedVerb { PromisedVerb(self, .head) }
  /// Sends an OPTIONS request.
  public var options: PromisedVerb { PromisedVerb(self, .options) }
  /// Sends a POST request.
  public var post: PromisedUpload { PromisedUpload(self, .post) }
  /// Sends a QUERY request.
  public var query: PromisedUpload { PromisedUpload(self, .query) }
  /// Sends a PUT request.
  public var put: PromisedUpload { PromisedUpload(self, .put) }
  /// Sends a PATCH request.
  public var patch: PromisedUpload { PromisedUpload(self, .patch) }
  /// Sends a DELETE request.
  public var delete: PromisedUpload { PromisedUpload(self, .delete) }

  /// Sends a request with any method.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    PromisedUpload(self, method)(
      path, variables: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
  }

  /// Sends a request that is built already.
  @discardableResult
  public func send(_ request: Request) -> Promise<Response> { start { request } }

  fileprivate func start(_ build: () throws -> Request) -> Promise<Response> {
    do {
      let request = try build()
      return self { try await $0.send(request, onProgress: $1) }
    } catch {
      return Promise(.failure(error))
    }
  }
}

/// A verb without a body that returns a promise: `connection.promise.get`. Call it with the arguments of the asynchronous verb.
public struct PromisedVerb: Sendable {
  private let verb: PromisedUpload

  fileprivate init(_ promising: Promising<Connection>, _ method: HTTPRequest.Method) {
    verb = PromisedUpload(promising, method)
  }

  /// Sends the request.
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    verb(path, variables: variables, query: query, headers: headers, timeout: timeout, edit: edit)
  }
}

/// A verb with a body that returns a promise: `connection.promise.post`. Call it with the arguments of the asynchronous verb.
public struct PromisedUpload: Sendable {
  private let promising: Promising<Connection>
  private let method: HTTPRequest.Method

  fileprivate init(_ promising: Promising<Connection>, _ method: HTTPRequest.Method) {
    self.promising = promising
    self.method = method
  }

  /// Sends the request.
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .body(body), timeout, edit)
  }

  /// Sends the request with these bytes.
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], body: Data, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .body(.data(body)), timeout, edit)
  }

  /// Sends the request with the value as JSON body.
  @_disfavoredOverload
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: some Encodable,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .json(value, encoder), timeout, edit)
  }

  /// Sends the request with untyped JSON as body.
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], json value: JSONValue,
    encoder: JSONEncoder? = nil, timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .json(value, encoder), timeout, edit)
  }

  /// Sends the request with the value as a form.
  @_disfavoredOverload
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form value: some Encodable,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .form(value), timeout, edit)
  }

  /// Sends the request with a form of these items.
  @discardableResult
  public func callAsFunction(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil,
    query: QueryParameters = [:], headers: KeyValuePairs<String, String> = [:], form items: QueryParameters,
    timeout: Duration? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) -> Promise<Response> {
    start(path, variables, query, headers, .body(.form(items)), timeout, edit)
  }

  private func start(
    _ path: some URLReference, _ variables: [String: any ParameterValue]?, _ query: QueryParameters,
    _ headers: KeyValuePairs<String, String>, _ content: RequestContent, _ timeout: Duration?,
    _ edit: (inout Request) throws -> Void
  ) -> Promise<Response> {
    promising.start { try promising.caller.request(method, path, variables, query, headers, content, timeout, edit) }
  }
}
