import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// The leak matrix on the screen: every way to show an exchange by every kind of secret. The exchanges are real ones, over both
/// adapters.
@Suite struct ShownLeakTests {
  private func expectHidden(_ shown: String, _ mark: String = "127.0.0.1") {
    #expect(shown.contains(mark), "nothing is shown: \(shown)")
    #expect(!LeakedSecret.isIn(shown), "\(shown)")
  }

  /// Responds with the request.
  private func echo(
    _ secret: LeakedSecret, status: HTTPResponse.Status = .ok, location: String? = nil
  ) throws -> MockServer {
    var fields = try HTTPFields(checking: ["Set-Cookie": "session=\(LeakedSecret.value)", "X-Own": LeakedSecret.value])
    fields[.location] = location
    let body = secret.content.map { Body.data(Data($0.text.utf8), contentType: $0.type) } ?? "plain"
    return try MockServer { [fields] _ in .status(status, headers: fields, body: body) }
  }

  @Test(arguments: LeakedSecret.allCases, TestedAdapter.allCases)
  func `no log shows a secret`(secret: LeakedSecret, tested: TestedAdapter) async throws {
    let home = try echo(secret)
    let log = CapturedLog()
    let connection = try secret.connection(
      home.url, tested.adapter, .logger(log.logger(), .full()), .logger(log.logger(), .full(bodyLimit: 20)), .logger(log.logger())
    )
    for delivery in TestedDelivery.allCases {
      _ = try await delivery.send(connection.request(secret.method, secret.path("x"), body: secret.body), over: connection)
    }
    let port = try RefusedPort()
    let refused = try secret.connection("http://127.0.0.1:\(port.port)", tested.adapter, .logger(log.logger(), .full()))
    _ = try? await refused.send(secret.method, secret.path("x"), body: secret.body)
    #expect(log.lines.count == 17)
    expectHidden(log.text)
    withExtendedLifetime(port) {}
  }

  @Test(arguments: LeakedSecret.allCases, TestedAdapter.allCases)
  func `no error shows a secret`(secret: LeakedSecret, tested: TestedAdapter) async throws {
    let adapter = tested.adapter
    let (good, bad, moved) = (
      try echo(secret), try echo(secret, status: .internalServerError),
      try echo(secret, status: .temporaryRedirect, location: "x?token=hunter2")
    )
    let port = try RefusedPort()
    func send(_ server: String, _ middleware: any Middleware...) async throws -> Response {
      let connection = try secret.connection(server, Stack(middleware, adapter: adapter))
      return try await connection.send(secret.method, secret.path("x"), body: secret.body)
    }
    let typed = TypedRequest(secret.method, baseURL: secret.base(bad.url), endpoint: secret.path("x")).sending(.body(secret.body))
    let connection = try secret.connection(bad.url, adapter)
    let twice = MiddlewareClosure { request, next in
      _ = try await next(request)
      return try await next(request)
    }
    let full = ConcurrencyLimit(1, maximumWait: .zero)
    let ways: [() async throws -> Any] = [
      { try await send("http://127.0.0.1:\(port.port)") },
      { try await send(bad.url, .statusValidation) },
      { try await send(moved.url, .redirects(limit: 1)) },
      { try await send(good.url).decode([String].self) },
      { try await send(good.url, .jsonDecoding(isStrict: true)).decode([String].self) },
      { try await connection.perform(typed) },
      { try await connection.perform(typed.validating(ResponseValidator { _ in false })) },
      { try await connection.perform(typed.sending(.json([Double.nan]))) },
      { try await connection.get("x") { $0.headers[.contentLength] = "9" } },
      { try await send(bad.url, twice, CircuitBreaker(.init(failures: 1), clock: ManualClock())) },
      { try await send(good.url, twice, RateLimit(.init(1, per: .seconds(60), maximumWait: .zero), clock: ManualClock())) },
      { try await send(good.url, full, full) },
    ]
    for (index, way) in ways.enumerated() {
      let error = await #expect(throws: (any Error).self, "\(index)") { try await way() }
      let shown = error.map { Shown.all($0) } ?? ""
      expectHidden(shown)
    }
    withExtendedLifetime(port) {}
  }

  @Test(arguments: LeakedSecret.allCases, TestedAdapter.allCases)
  func `no error of a streamed body shows a secret`(secret: LeakedSecret, tested: TestedAdapter) async throws {
    let server = try MockServer { _ in .text("part and the rest").cut(after: 4) }
    let connection = try secret.connection(server.url, tested.adapter)
    let error = await #expect(throws: TransportError.self) { try await readStream(of: secret, over: connection) }
    expectHidden(error.map { Shown.all($0) } ?? "")
  }

  private func readStream(of secret: LeakedSecret, over connection: Connection) async throws {
    let response = try await connection.send(secret.method, secret.path("x"), body: secret.body) {
      $0.options.delivery = .streamed
    }
    _ = try await response.body.collect()
  }

  @Test(arguments: LeakedSecret.allCases, TestedAdapter.allCases)
  func `no description, dump or mirror shows a secret`(secret: LeakedSecret, tested: TestedAdapter) async throws {
    let place = try echo(secret)
    let home = try echo(secret, status: .found, location: place.url + "/bothunter2/?token=hunter2")
    let connection = try secret.connection(
      home.url, tested.adapter, .redirects(), .authorization(.bearer(LeakedSecret.value)),
      .tokenRefresh(token: LeakedSecret.value) { _ in "" })
    let request = try connection.request(secret.method, secret.path("x"), body: secret.body)
    let response = try await connection.send(request)
    #expect(response.redirects.count == 1)
    let typed = TypedRequest(secret.method, baseURL: secret.base(home.url), endpoint: secret.path("x"))
      .with(headers: secret.headers).sending(.body(secret.body)).authorized(with: .bearer(LeakedSecret.value))
    let values: [Any] = [
      request, response, connection, response.redirects, response.redirects[0], TypedResponse(1, response: response),
    ]
    for value in values { expectHidden(Shown.all(value)) }
    // Secret path components of a connection's registry are unknown to a request without that registry.
    if secret != .path { expectHidden(Shown.all(typed)) }
    for middleware in connection.stack.middleware { expectHidden(Shown.all(middleware), "") }
    for value: Any in [request.options, request.body, response.body, connection.stack] { expectHidden(Shown.all(value), "") }
  }

  @Test(arguments: LeakedSecret.allCases)
  func `no curl command shows a secret`(secret: LeakedSecret) async throws {
    let connection = try secret.connection("http://127.0.0.1:9", MockAdapter())
    let request = try connection.request(secret.method, secret.path("x"), body: secret.body)
    let (words, input) = try await Shell.words(request.curlCommand)
    expectHidden(request.curlCommand + words.joined() + String(decoding: input, as: UTF8.self))
    #expect(LeakedSecret.isIn(request.curlCommand(revealingSecrets: true)))
  }

  @Test(arguments: LeakedSecret.allCases, TestedAdapter.allCases)
  func `no cassette has a secret`(secret: LeakedSecret, tested: TestedAdapter) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "leaks-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let place = try echo(secret)
    let home = try echo(secret, status: .found, location: place.url + "/bothunter2/?token=hunter2")
    let port = try RefusedPort()
    func exchange(_ cassette: Cassette) async throws {
      let connection = try secret.connection(home.url, cassette, .redirects())
      for delivery in TestedDelivery.allCases {
        let request = try connection.request(secret.method, secret.path("x"), body: secret.body)
        #expect(try await delivery.send(request, over: connection).response.redirects.count == 1)
      }
      let refused = try secret.connection("http://127.0.0.1:\(port.port)", cassette)
      await #expect(throws: TransportError.self) {
        try await refused.send(secret.method, secret.path("x"), body: secret.body)
      }
    }
    let recorded = try Cassette(folder + "/leaks.har", over: tested.adapter, mode: .once)
    try await exchange(recorded)
    try recorded.finish()
    expectHidden(try String(contentsOfFile: folder + "/leaks.har", encoding: .utf8))
    // What is redacted still matches.
    let replayed = try Cassette(
      folder + "/leaks.har", mode: .never, matching: .init(headers: [.authorization, .cookie], comparesBodies: true))
    try await exchange(replayed)
    try replayed.finish()
    withExtendedLifetime(port) {}
  }
}
