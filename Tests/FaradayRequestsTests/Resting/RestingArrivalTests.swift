import Faraday
import FaradayTesting
import TestSupport
import Testing

/// A server receives each part of a ``RestingRequest``.
@Suite struct RestingArrivalTests {
  struct Model: Encodable, Sendable {
    var stringValue = "test"
    var integer = 42
  }

  struct Nested: Encodable, Sendable { let nested = Model() }

  struct Lists: Encodable, Sendable {
    var numbers: [Int] = []
    var models: [Model] = []
  }

  struct NoInput: Encodable, Sendable {}

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let line: String
    let body: String
    let fields: [String: [String]]
    let perform: @Sendable (RestingClient) async throws -> Response
    var configuration = RestingRequestConverter.Configuration()

    init<Input: Encodable & Sendable>(
      _ name: String, _ method: HTTPRequest.Method = .get, _ path: String = "/inspect", _ encoding: RequestEncoding = .query,
      _ input: Input = NoInput(), headers: HTTPFields = [:], variables: [String: any ParameterValue] = [:],
      arrives line: String, body: String = "", fields: [String: [String]] = [:]
    ) {
      testDescription = name
      // Brackets are encoded in a URL.
      self.line = line.replacing("[", with: "%5B").replacing("]", with: "%5D")
      self.body = body
      self.fields = fields
      perform = { client in
        try await client.perform(
          RestingRequest(
            endpoint: Endpoint<Input, JSONValue>(method, path, encoding: encoding), body: input, headers: headers,
            variables: variables)
        ).response
      }
    }

    func with(_ change: (inout RestingRequestConverter.Configuration) -> Void) -> Case {
      var changed = self
      change(&changed.configuration)
      return changed
    }
  }

  private static let headers: RestingHeaderProvider = {
    let provider = RestingHeaderProvider()
    provider.set(name: "FROM", value: "provider")
    return provider
  }()

  private static let variables: RestingPathVariableProvider = {
    let provider = RestingPathVariableProvider()
    provider.set(name: "route", value: "inspect")
    provider.set(name: "id", value: 1)
    return provider
  }()

  private static let snakeCase: QueryEncoder = {
    var strategies = FormStrategies()
    strategies.keys = .convertToSnakeCase
    return QueryEncoder(strategies)
  }()

  static let cases = [
    Case("RK-09: no query", arrives: "GET /inspect", fields: ["Content-Type": []]),
    Case(
      "RK-10: JSON of nothing", .post, "/inspect", .json, arrives: "POST /inspect", body: "{}",
      fields: ["Content-Type": ["application/json"], "Content-Length": ["2"]]),
    Case("RK-11: a header", headers: [.from: "ada"], arrives: "GET /inspect", fields: ["From": ["ada"]]),
    Case(
      "RK-12: a path variable", .get, "/{route}?id={id}&text={text}",
      variables: ["route": "inspect", "id": 42, "text": "a/b?ü"], arrives: "GET /inspect?id=42&text=a%2Fb%3F%C3%BC"),
    Case("RK-13: a provider's path variable", .get, "/{route}?id={id}", arrives: "GET /inspect?id=1")
      .with { $0.pathVariableProvider = variables },
    Case("RK-14: the request's path variable", .get, "/{route}?id={id}", variables: ["id": 2], arrives: "GET /inspect?id=2")
      .with { $0.pathVariableProvider = variables },
    Case("RK-15: a provider's header", arrives: "GET /inspect", fields: ["From": ["provider"]])
      .with { $0.headerProvider = headers },
    Case("RK-16: the request's header", headers: [.from: "request"], arrives: "GET /inspect", fields: ["From": ["request"]])
      .with { $0.headerProvider = headers },
    Case("RK-17: a model", .get, "/inspect", .query, Model(), arrives: "GET /inspect?stringValue=test&integer=42"),
    Case(
      "RK-18: a model in a model", .get, "/inspect", .query, Nested(),
      arrives: "GET /inspect?nested[stringValue]=test&nested[integer]=42"),
    Case(
      "RK-19: numbers", .get, "/inspect", .query, Lists(numbers: [1, 2, 3]),
      arrives: "GET /inspect?numbers[]=1&numbers[]=2&numbers[]=3"),
    Case(
      "RK-20: models", .get, "/inspect", .query, Lists(models: [Model(), Model(stringValue: "b", integer: 2)]),
      arrives: "GET /inspect?models[][stringValue]=test&models[][integer]=42&models[][stringValue]=b&models[][integer]=2"),
    Case(
      "RK-21: snake case", .get, "/inspect", .query, Nested(),
      arrives: "GET /inspect?nested[string_value]=test&nested[integer]=42"
    )
    .with { $0.queryEncoder = snakeCase },
    Case(
      "RK-21: snake case in a form", .post, "/inspect", .formURLEncoded, Model(), arrives: "POST /inspect",
      body: "string_value=test&integer=42", fields: ["Content-Type": ["application/x-www-form-urlencoded"]]
    ).with { $0.queryEncoder = snakeCase },
  ]

  @Test(arguments: TestedAdapter.allCases, cases)
  func `RK-09 to RK-21: the request arrives as it was converted`(tested: TestedAdapter, wanted: Case) async throws {
    let server = try LocalServer()
    let client = try RestingClient(
      server.url, adapter: tested.adapter, converter: RestingRequestConverter(wanted.configuration))
    let seen = try await Inspected(wanted.perform(client))
    #expect("\(seen.method) \(seen.target)" == wanted.line)
    #expect(seen.bodyText == wanted.body)
    for (name, values) in wanted.fields { #expect(seen.values(name) == values) }
  }
}
