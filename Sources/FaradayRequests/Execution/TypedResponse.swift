public import FaradayCore

/// A decoded value and its response.
public struct TypedResponse<Value: Sendable>: Sendable {
  /// The decoded value.
  public var value: Value
  /// The response, with its metrics. A streamed body has been consumed if the value was decoded from it.
  public var response: Response

  /// The status of the response.
  public var status: HTTPResponse.Status { response.status }
  /// The header fields of the response.
  public var headers: HTTPFields { response.headers }

  /// Creates a typed response from a value and its response.
  public init(_ value: Value, response: Response) {
    self.value = value
    self.response = response
  }

  /// Transforms the value; the response is kept.
  public func map<New>(_ transform: (Value) throws -> New) rethrows -> TypedResponse<New> {
    TypedResponse<New>(try transform(value), response: response)
  }
}
