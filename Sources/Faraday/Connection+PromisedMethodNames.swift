public import FaradayCore
public import FaradayPromises
internal import FaradayRequests

extension Promising where Caller == Connection {
  /// Sends a request with the method of that name: `connection.promise.run("PURGE", "articles/1")`.
  @discardableResult
  public func run(
    _ method: String, _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], body: Body = .empty, timeout: Duration? = nil,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> ProgressablePromise<Response> {
    send {
      try caller.request(
        method, path, path: variables, query: query, headers: headers, body: body, timeout: timeout, edit: edit)
    }
  }
}
