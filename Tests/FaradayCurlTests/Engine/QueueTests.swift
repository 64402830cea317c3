@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

/// The errors of requests that wait for a slot or for a name.
@Suite struct QueueTests {
  @Test func `the queue has a maximum length, also after rejected requests`() async throws {
    guard #available(macOS 26, *) else { return }
    let arrived = Log<Int>()
    let turns = (0..<2).map { _ in Gate() }
    let server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        arrived.append(1)
        turns[head.hasPrefix("GET /second") ? 1 : 0].wait()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let connection = try server.connection(
      CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: 1, maximumQueuedRequests: 2))
    for (round, turn) in turns.enumerated() {
      let path = round == 0 ? "first" : "second"
      let before = arrived.elements.count
      let active = Task { try await connection.get(path) }
      await until { arrived.elements.count > before }
      let waiting = (0..<2).map { _ in
        Task.immediate { try await connection.get(path) { $0.options.timeouts.total = .seconds(40) } }
      }
      for _ in 0..<3 {
        let error = try await transportError { try await connection.get(path) { $0.options.timeouts.total = .seconds(20) } }
        #expect(error.code == .queueFull, "\(error)")
      }
      turn.open()
      #expect(try await active.value.status == .ok)
      for task in waiting { #expect(try await task.value.status == .ok) }
    }
    #expect(server.connectionCount == 1)
  }

  /// They are all handed over before the engine's thread, which is held meanwhile, has looked at one of them. It is held for longer than
  /// the rest after which the first to an origin goes alone: what a callback takes is no rest.
  @Test(arguments: [0, 3]) func `requests that find a free connection do not wait, however many start at once`(limit: Int)
    async throws
  {
    guard #available(macOS 26, *) else { return }
    let server = try LocalServer()
    var configuration = CurlAdapter.Configuration()
    configuration.maximumQueuedRequests = limit
    let connection = try server.connection(configuration)
    let isHeld = Gate()
    let mayGoOn = Gate()
    let first = Task.immediate {
      try await connection.get("early-hints") {
        $0.options.onInformational = { _ in
          isHeld.open()
          mayGoOn.wait()
        }
      }
    }
    #expect(await isHeld.opened())
    let others = (0..<20).map { _ in Task.immediate { try await connection.get("hello") } }
    let held = ContinuousClock.now
    await until { ContinuousClock.now - held > .milliseconds(1100) }
    mayGoOn.open()
    #expect(try await first.value.status == .ok)
    for task in others { #expect(try await task.value.status == .ok) }
  }

  /// On the engine's thread each asks again before the engine has let the next one begin.
  @Test func `as many workers as connections and queue places are never rejected`() async throws {
    let server = try LocalServer()
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnections = 1
    configuration.maximumQueuedRequests = 1
    let adapter = CurlAdapter(configuration)
    let connection = try Connection(server.url + "/", adapter: adapter)
    try await withTaskExecutorPreference(adapter.taskExecutor) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<100 { _ = try await connection.get("hello") }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `all waiting requests share one lookup of a missing name`() async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    NameLookup.add("absent.test", gate: gate, isFound: false)
    let server = try LocalServer()
    let adapter = CurlAdapter()
    let connection = try Connection("http://absent.test:1/", adapter: adapter)
    let tasks = (0..<30).map { _ in Task.immediate { try await connection.get() } }
    // The engine has heard of all when it has done something later.
    #expect(try await Connection(server.url + "/", adapter: adapter).get("hello").status == .ok)
    gate.open()
    for task in tasks {
      let error = try await transportError { try await task.value }
      #expect(error.code == .nameNotFound && error.phase == .resolving, "\(error)")
    }
    #expect(NameLookup.count("absent.test") == 1)
    // Later requests look the name up again, unless libcurl has cached the failure.
    #expect(try await transportError { try await connection.get() }.code == .nameNotFound)
    #expect(NameLookup.count("absent.test") == (Library.Behaviour.remembersFailedLookups ? 1 : 2))
  }

  @Test func `a lookup timeout of one request does not affect others that wait for the same name`() async throws {
    guard #available(macOS 26, *) else { return }
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("patience.test", gate: gate)
    let server = try LocalServer()
    let adapter = CurlAdapter()
    let connection = try Connection("http://patience.test:\(server.port)/", adapter: adapter)
    let hasty = Task.immediate { try await connection.get("hello") { $0.options.timeouts.connect = .milliseconds(50) } }
    let patient = (0..<3).map { _ in Task.immediate { try await connection.get("hello") } }
    #expect(try await transportError { try await hasty.value }.code == .connectTimeout)
    gate.open()
    for task in patient { #expect(try await task.value.status == .ok) }
  }

  /// libcurl walks over all names that it knows at the end of each transfer.
  @Test func `the oldest of very many names are forgotten`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }
    let adapter = CurlAdapter()
    func ask(_ name: String) async throws {
      let connection = try Connection("http://\(name):\(server.port)/", adapter: adapter)
      #expect(try await connection.get().status == .noContent)
    }
    NameLookup.add("known.test")
    for _ in 0..<3 { try await ask("known.test") }
    #expect(NameLookup.count("known.test") == 1)
    for index in 0..<1001 {
      NameLookup.add("n\(index).test")
      try await ask("n\(index).test")
    }
    try await ask("known.test")
    #expect(NameLookup.count("known.test") == 2)
    withExtendedLifetime(server) {}
  }
}
