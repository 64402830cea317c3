public import FaradayCore

/// A request to an ``Endpoint``: its input, header fields and path variables.
///
///     RestingRequest(endpoint: createUser, body: User(name: "Ada"), headers: [.acceptLanguage: "cy"])
///     RestingRequest(endpoint: user, variables: ["id": 42])
public struct RestingRequest<Input: Sendable, Output: Sendable>: Sendable {
  /// The endpoint.
  public var endpoint: Endpoint<Input, Output>
  /// The input, encoded by ``Endpoint/encoding``.
  public var body: Input
  /// Header fields; they override the fields of the client's ``HeaderProvider`` and of the connection.
  public var headers: HTTPFields
  /// The values of path variables, percent-encoded when they are inserted. They override the values of the client's
  /// ``PathVariableProvider``.
  public var variables: [String: any ParameterValue]

  /// Creates a request with an input.
  public init(
    endpoint: Endpoint<Input, Output>, body: Input, headers: HTTPFields = [:],
    variables: [String: any ParameterValue] = [:]
  ) {
    self.endpoint = endpoint
    self.body = body
    self.headers = headers
    self.variables = variables
  }
}

extension RestingRequest where Input == Void {
  /// Creates a request without an input.
  public init(
    endpoint: Endpoint<Void, Output>, headers: HTTPFields = [:], variables: [String: any ParameterValue] = [:]
  ) {
    self.init(endpoint: endpoint, body: (), headers: headers, variables: variables)
  }
}

/// Describes a request as `GET /users/{id} -> User`: the method, the path of the endpoint without its query, and the output's
/// type, unless it is `Void`. Headers, input and variables may be secret, and are not shown.
extension RestingRequest: CustomStringConvertible, CustomReflectable {
  public var description: String {
    "\(endpoint.method) \(Secrets().redacting(urlText: endpoint.path).prefix { $0 != "?" })"
      + (Output.self == Void.self ? "" : " -> \(Output.self)")
  }

  /// Without children: `dump` shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
