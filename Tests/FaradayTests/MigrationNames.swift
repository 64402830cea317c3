import Dispatch
import Faraday
import FaradayCurl
import FaradayHAL
import FaradayURLSession
import FoundationEssentials

// The right-hand columns of the tables in the article "Migrating". Every name there is used here and compiles.

enum MigrationNames {
  static func otherClients(_ connection: Connection, _ request: Request, _ pieces: AsyncStream<Data>) async throws {
    var configuration = CurlAdapter.Configuration()
    (configuration.maximumPooledConnectionsPerOrigin, configuration.idleConnectionTimeout) = (8, .seconds(1))
    configuration.proxy = .direct
    _ = Connection(
      adapter: CurlAdapter(configuration), middleware: [.redirects(limit: 5), .cookies(CookieJar()), .statusValidation])
    var request = request
    request.body = .stream(pieces, length: 1)
    request.options.decompression = Decompression(maximumSize: 1, maximumRatio: 1)
    request.options.timeouts = Timeouts(queue: nil, connect: nil, idle: nil, total: nil)
    request.options.tls.caFile = "ca.pem"
    let response = try await connection.send(request)
    _ = (try await response.body.collect(upTo: 1), response.metrics, request.curlCommand)
    _ = connection.promise.get("a").onComplete(on: .main) { _ in }
  }

  static func faraday(_ connection: Connection, _ request: Request, key: HTTPField) async throws {
    var connection = try Connection("https://host", adapter: URLSessionAdapter(), middleware: [.jsonEncoding, .jsonDecoding])
    connection.use(UserAgent("example"))
    let response = try await connection.get("ping") { request in
      request.query.set(name: "hello", values: ["world"])
      _ = request.query.values("hello")
      request.headers.accept("application/json")
      _ = request.headers.accepted
      try request.headers.authorize(.basic(user: "a", password: "b"))
      try request.headers.authorize(.token("a", options: ["b": "c"]))
    }
    _ = try connection.request(.get, "ping")
    _ = try await connection.send("PURGE", "ping")
    let promise = connection.promise.send(request)
    promise.onComplete(on: .queue(.main)) { _ in }.onSuccess { _ in }.onFailure { _ in }.cancel()
    _ = try await promise.timeout(.seconds(1)).value
    _ = response.status.kind == .successful
    _ = response.headers.contentType
  }

  static func hal(_ connection: Connection, _ response: Response, _ document: Representation) async throws {
    _ = [.halDecoding, .halEncoding] as [any Middleware]
    _ = response.representation
    _ = try await response.decodeRepresentation()
    _ = try await connection.follow("a/b")
    connection.promise { try await $0.follow("a/b") }.onSuccess { _ in }
    var link = document.selfLink
    link?.title = "title"
    _ = link?.isTemplated
    _ = document.with(curie: "app", href: "/{rel}").with(property: "name", "value").with(rel: "rel", embedded: document)
    _ = (document.expand(curie: "a:b"), document.contract(uri: "/b"), document.properties["name"], document.embedded(for: "a"))
    _ = (document.json, try document.jsonString(), Body.hal(document))
    _ = (document.link(href: "/1"), document.value(for: "name", default: "none"))
    var traversal = connection.traversal(from: link)
    try await traversal.follow("a/b")
    _ = traversal.representations
  }

  static func restingKit(_ connection: Connection) async throws {
    let headers = RestingHeaderProvider()
    headers.set(name: "Name") { nil }
    headers.remove("Name")
    let variables = RestingPathVariableProvider()
    variables.set(name: "id") { 42 }
    variables.remove("id")
    let converter: any RequestConverter = RestingRequestConverter(
      .init(contextPath: "/v2", headerProvider: headers, pathVariableProvider: variables))
    let client = try RestingClient(
      "https://host", adapter: CurlAdapter(), decoder: JSONDecoder(), converter: converter, interceptors: [.retry])
    let request = RestingRequest(endpoint: Endpoint<Void, Void>(.get, "/", encoding: .query))
    _ = try converter.request(for: request, on: connection)
    let response: TypedResponse<Void> = try await client.perform(request)
    client.promise { try await $0.perform(request, onProgress: $1) }.progress { _ in }.onSuccess { _ in }.onFailure { _ in }
    client.promise { try await $0.perform(request) }.onFailure { error in _ = (error as? StatusError)?.errorJSON }
    _ = [.exchangeHooks(onStart: { _ in }, onEnd: { _ in }), .exchangeLog(ExchangeLog())] as [any Middleware]
    _ = (response, FormFile("a"), QueryEncoder(FormStrategies()), MultipartFormEncoder(FormStrategies()))
  }

  static func requests(_ connection: Connection, _ data: Data) async throws {
    let request = TypedRequest(.post, baseURL: "https://host", endpoint: "a")
      .with(headers: [.accept: "a"]).with(query: ["a": "b", "a": nil])
      .sending(.data(data)).sending(.body(.stream(AsyncStream { nil }))).sending(.file("a")).sending(
        .form(["a": "b"] as QueryParameters)
      )
      .sending(.multipart(MultipartForm())).sending(.json([1], using: JSONEncoder()))
      .validating(.any).configured { _ in }.timeout(after: .seconds(1))
      .receiving(.json([Int].self, using: JSONDecoder())).receiving(ResponseDecoder(data: { $0 }))
    _ = try request.request()
    _ = try await connection.perform(request).value
    connection.promise { try await $0.perform(request) }.onComplete(on: .queue(.main)) { _ in }
    _ = (MediaType.text, MediaType.form, ResponseValidationError.self, StatusError.self, BodyDecodingError.self)
  }

  struct LoggedIn: Constraint {
    func isSatisfied(for request: Request) async throws -> Bool { true }
    func satisfy(for request: Request) async throws {}
  }

  static func swifty(_ connection: Connection, _ service: some WebService, _ data: Data) async throws {
    let network: any WebServiceNetworkInterface = ServiceNetwork(connection, constraints: [LoggedIn()], interceptors: [])
    let root: ServiceRoot = service.customResource(at: "https://host")
    let resource = root.post("a").json([1], using: JSONEncoder()).json(["a": 1] as JSONValue).data(data, type: .json)
      .multipart(data, name: "a", filename: "b", type: .binary).header("a", "b").authorized(
        with: .basic(user: "a", password: "b")
      )
      .mock(file: "a").mock(data: data).failing(with: CancellationError()).deliverOn(.queue(.main)).canHaveConstraints(false)
    resource.loadJSON([Int].self, onSuccess: { _ in }, onFailure: { error in _ = (error as? StatusError)?.errorJSON })
    _ = try await network.load(resource.networkResource)
    _ = try await resource.load(.text)
  }
}
