public import FaradayCore

/// What a typed call gives: the value, and the response that it was made of.
public struct TypedResponse<Value: Sendable>: Sendable {
  public var value: Value
  /// The response with its metrics. A streamed body has been read if the value is made of it.
  public var response: Response

  public var status: HTTPResponse.Status { response.status }
  public var headers: HTTPFields { response.headers }

  public init(_ value: Value, response: Response) {
    self.value = value
    self.response = response
  }

  /// The same response with what the closure makes of the value.
  public func map<New>(_ transform: (Value) throws -> New) rethrows -> TypedResponse<New> {
    TypedResponse<New>(try transform(value), response: response)
  }
}
