public import FaradayCore

/// One request to an ``Endpoint``: its input, and what it has of its own.
///
///     RestingRequest(endpoint: createUser, body: User(name: "Ada"), headers: [.acceptLanguage: "cy"])
///     RestingRequest(endpoint: user, pathVariables: ["id": 42])
public struct RestingRequest<Input: Encodable & Sendable, Output: Decodable & Sendable>: Sendable {
  public var endpoint: Endpoint<Input, Output>
  /// The input, wherever ``Endpoint/encoding`` puts it.
  public var body: Input
  /// Header fields; they go before those of the same name of the client's ``HeaderProvider`` and connection.
  public var headers: HTTPFields
  /// The values of the path's variables, percent-encoded; these go before those of the client's ``PathVariableProvider``.
  public var pathVariables: [String: any ParameterValue]

  public init(
    endpoint: Endpoint<Input, Output>, body: Input, headers: HTTPFields = [:],
    pathVariables: [String: any ParameterValue] = [:]
  ) {
    self.endpoint = endpoint
    self.body = body
    self.headers = headers
    self.pathVariables = pathVariables
  }
}

extension RestingRequest where Input == Nothing {
  /// A request without an input.
  public init(
    endpoint: Endpoint<Nothing, Output>, headers: HTTPFields = [:], pathVariables: [String: any ParameterValue] = [:]
  ) {
    self.init(endpoint: endpoint, body: Nothing(), headers: headers, pathVariables: pathVariables)
  }
}

/// `GET /users/{id}`: the method, and the path as it was given to the endpoint, without its query. Headers, input and
/// variables may be secret, and are not shown.
extension RestingRequest: CustomStringConvertible, CustomReflectable {
  public var description: String {
    "\(endpoint.method) \(Secrets().redacting(urlText: endpoint.path).prefix { $0 != "?" })"
  }

  /// Without children: `dump` shows what they are made of.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
