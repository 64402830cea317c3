public import FaradayCore

/// A request to an ``Endpoint``: its input, header fields and path variables.
///
///     RestingRequest(endpoint: createUser, body: User(name: "Ada"), headers: [.acceptLanguage: "cy"])
///     RestingRequest(endpoint: user, pathVariables: ["id": 42])
public struct RestingRequest<Input: Encodable & Sendable, Output: Decodable & Sendable>: Sendable {
  /// The endpoint.
  public var endpoint: Endpoint<Input, Output>
  /// The input, encoded as ``Endpoint/encoding`` says.
  public var body: Input
  /// Header fields; they override those of the client's ``HeaderProvider`` and of the connection.
  public var headers: HTTPFields
  /// The values of path variables, percent-encoded when they are inserted; they override those of the client's
  /// ``PathVariableProvider``.
  public var pathVariables: [String: any ParameterValue]

  /// A request with an input.
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

/// Describes a request as `GET /users/{id} -> User`: the method, the path as it was given to the endpoint, without its query, and
/// the output's type, unless it is ``Nothing``. Headers, input and variables may be secret, and are not shown.
extension RestingRequest: CustomStringConvertible, CustomReflectable {
  public var description: String {
    "\(endpoint.method) \(Secrets().redacting(urlText: endpoint.path).prefix { $0 != "?" })"
      + (Output.self == Nothing.self ? "" : " -> \(Output.self)")
  }

  /// Without children: `dump` shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
