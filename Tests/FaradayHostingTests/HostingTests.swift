#if Hosting
import Configuration
import Faraday
import FaradayCurl
import FaradayHosting
import FaradayTesting
import Logging
import ServiceLifecycle
import Testing

@Suite struct AdapterServiceTests {
  /// Runs until the group shuts down.
  private struct Waiting: Service {
    let begun: Gate

    func run() async throws {
      begun.open()
      try await gracefulShutdown()
    }
  }

  @Test func `a graceful shutdown of the group drains the adapter`() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let curl = CurlAdapter()
    let connection = try Connection(server.url + "/", adapter: curl)
    let begun = Gate()
    let group = ServiceGroup(
      services: [AdapterService { await curl.shutdown(deadline: $0) }, Waiting(begun: begun)], logger: Logger(label: "test"))
    async let running: Void = group.run()
    #expect(await begun.opened())
    #expect(try await connection.get("hello").status == .ok)
    await group.triggerGracefulShutdown()
    try await running
    let error = await #expect(throws: TransportError.self) { try await connection.get("hello") }
    #expect(error?.code == .shuttingDown)
  }

  @Test func `active requests end within the time, and at once if the task is cancelled`() async throws {
    for isCancelled in [false, true] {
      let log = Log<ContinuousClock.Instant>()
      let (service, begun) = (
        AdapterService(within: .seconds(3600)) { deadline in
          log.append(deadline)
          return 0
        }, Gate()
      )
      let group = ServiceGroup(services: [service, Waiting(begun: begun)], logger: Logger(label: "test"))
      let task = Task { try await group.run() }
      #expect(await begun.opened())
      let before = ContinuousClock.now
      if isCancelled { task.cancel() } else { await group.triggerGracefulShutdown() }
      _ = await task.result
      let deadline = try #require(log.elements.first)
      #expect(isCancelled ? deadline < before + .seconds(1800) : deadline >= before + .seconds(3600))
    }
  }
}

@Suite struct ConfigurationTests {
  private func options(_ values: [AbsoluteConfigKey: ConfigValue]) async throws -> Options {
    try await Options(config: ConfigReader(provider: InMemoryProvider(values: values)).scoped(to: "http"))
  }

  @Test func `keys without a value keep the defaults`() async throws {
    let options = try await options(["timeout.total": 3])
    #expect(options.timeouts == Timeouts())
    #expect(options.maximumBodySize == Options().maximumBodySize)
    #expect(options.proxy == .automatic)
  }

  @Test func `each key sets its option`() async throws {
    let options = try await options([
      "http.timeout.queue": 1.0, "http.timeout.resolve": 2.0, "http.timeout.connect": 0.5, "http.timeout.tls": 4.0,
      "http.timeout.firstByte": 5.0, "http.timeout.idle": 0.0, "http.timeout.total": 7.0, "http.maximumBodySize": 8,
      "http.proxy": "socks5h://user:password@localhost:1080", "http.tls.caFile": "/ca.pem",
    ])
    let timeouts = options.timeouts
    #expect(
      [timeouts.queue, timeouts.resolve, timeouts.connect, timeouts.tls] == [
        .seconds(1), .seconds(2), .milliseconds(500), .seconds(4),
      ])
    #expect([timeouts.firstByte, timeouts.idle, timeouts.total] == [.seconds(5), nil, .seconds(7)])
    #expect(options.maximumBodySize == 8)
    #expect(options.proxy == .proxy(try Proxy("socks5h://user:password@localhost:1080")))
    #expect(options.tls.caFile == "/ca.pem")
    #expect(try await self.options(["http.proxy": "direct"]).proxy == .direct)
  }

  @Test func `a value that cannot be used is an error`() async throws {
    for value: ConfigValue in [-1.0, ConfigValue(.double(.nan), isSecret: false), 1e300] {
      let error = await #expect(throws: InvalidValueError.self) { try await options(["http.timeout.total": value]) }
      #expect(error?.kind == .setting && error?.value == "timeout.total")
    }
    await #expect(throws: InvalidValueError.self) { try await options(["http.maximumBodySize": -1]) }
    await #expect(throws: InvalidValueError.self) { try await options(["http.proxy": "ftp://host"]) }
    await #expect(throws: (any Error).self) { try await options(["http.timeout.total": "soon"]) }
  }
}
#endif
