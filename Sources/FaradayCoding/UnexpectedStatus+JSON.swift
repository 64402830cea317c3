public import FaradayCore

extension UnexpectedStatus {
  /// The response's body as JSON: what a server says of its error. Nil if it is none, was cut, or was streamed.
  ///
  ///     catch let error as UnexpectedStatus { print(error.errorJSON?["error"]?["message"]?.string ?? "\(error.status)") }
  public var errorJSON: JSONValue? {
    guard !isBodyCut, let data = response.body.data, !data.isEmpty else { return nil }
    return try? JSONValue(data: data)
  }
}
