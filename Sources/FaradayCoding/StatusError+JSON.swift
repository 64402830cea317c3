public import FaradayCore

extension StatusError {
  /// The response's body as JSON: the server's description of the error. Nil if the body is not JSON, was cut, or is still
  /// streamed. ``FaradayCore/StatusError/collected(upTo:within:clock:)`` reads a streamed body.
  ///
  ///     catch let error as StatusError { print(error.errorJSON?["error"]?["message"]?.string ?? "\(error.status)") }
  public var errorJSON: JSONValue? {
    guard !isBodyCut, let data = response.body.data, !data.isEmpty else { return nil }
    return try? JSONValue(data: data)
  }
}
