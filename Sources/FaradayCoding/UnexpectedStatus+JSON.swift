public import FaradayCore

extension UnexpectedStatus {
  /// The response's body as JSON: what a server says of its error. Nil if it is not JSON, was cut, or is still streamed:
  /// ``FaradayCore/UnexpectedStatus/collected(upTo:within:clock:)`` reads it then.
  ///
  ///     catch let error as UnexpectedStatus { print(error.errorJSON?["error"]?["message"]?.string ?? "\(error.status)") }
  public var errorJSON: JSONValue? {
    guard !isBodyCut, let data = response.body.data, !data.isEmpty else { return nil }
    return try? JSONValue(data: data)
  }
}
