@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

@Suite struct ConnectionReuseTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  private func burst(_ count: Int, over connection: Connection, _ path: String = "hello") async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let response = try await connection.get(path)
          #expect(response.status == .ok)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `copies of an adapter share connections, and other adapters do not`() async throws {
    let adapter = CurlAdapter()
    let copy = adapter
    _ = try await Connection("\(server.url)/", adapter: adapter).get("hello")
    _ = try await Connection("\(server.url)/", adapter: copy).get("hello")
    #expect(server.connectionCount == 1)
    _ = try await Connection("\(server.url)/", adapter: CurlAdapter()).get("hello")
    #expect(server.connectionCount == 2)
  }

  @Test func `the connection limit is kept, and every request is served`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnectionsPerOrigin = 3
    try await burst(50, over: server.connection(configuration), "drip?count=1&interval=1")
    #expect(server.connectionCount == 3)
  }

  @Test func `the total connection limit holds over all origins`() async throws {
    let underWay = Log<Int>()
    let servers = try (0..<4).map { _ in
      try RawServer { connection in
        while true {
          _ = try connection.readHead()
          underWay.append(1)
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
          underWay.append(-1)
          try connection.send("x")
        }
      }
    }
    var configuration = CurlAdapter.Configuration()
    configuration.maximumPooledConnections = 2
    let adapter = CurlAdapter(configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<40 {
        let connection = try Connection(servers[index % 4].url + "/", adapter: adapter)
        group.addTask { _ = try await connection.get() }
      }
      try await group.waitForAll()
    }
    var now = 0
    for step in underWay.elements {
      now += step
      #expect(now <= 2)
    }
    #expect(underWay.elements.count == 80)
    withExtendedLifetime(servers) {}
  }

  @Test func `the pool does not shrink while a burst drains`() async throws {
    let arrived = Log<Int>()
    let turns = (0..<80).map { _ in Gate() }
    let server = try RawServer { connection in
      while let turn = try Int(connection.readHead().split(separator: " ")[1].dropFirst()) {
        arrived.append(turn)
        turns[turn].wait()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let connection = try server.connection()
    for round in [0..<40, 40..<80] {
      let requests = round.map { turn in Task { try await connection.get("\(turn)") } }
      await until { arrived.elements.count == round.upperBound }
      // One after the other: libcurl looks at how many are left.
      for (turn, request) in zip(turns[round], requests) {
        turn.open()
        #expect(try await request.value.status == .noContent)
      }
    }
    #expect(server.connectionCount == 40)
  }

  @Test func `dead pooled connections do not fail a request`() async throws {
    let server = try RawServer { connection in
      // Only the ninth connection, which is new, answers a second request.
      for round in 0... {
        _ = try connection.readHead()
        if round > 0 && connection.index < 8 { return connection.reset() }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let connection = try server.connection()
    let responses = try await (0..<8).asyncMap { _ in
      try await connection.get { $0.options.delivery = .streamed }
    }
    for response in responses { _ = try await response.body.collect() }
    #expect(try await connection.get().status == .ok)
  }

  @Test func `a burst looks up its name once`() async throws {
    NameLookup.add("burst.test")
    let connection = try Connection("http://burst.test:\(server.port)/", adapter: CurlAdapter())
    try await burst(30, over: connection, "drip?count=1&interval=5")
    #expect(NameLookup.count("burst.test") == 1)
  }

  @Test func `a burst looks up a missing name once, and so does the next burst`() async throws {
    let gates = [Gate(), Gate()]
    let adapter = CurlAdapter()
    for (index, gate) in gates.enumerated() {
      NameLookup.add("nowhere.test", gate: gate, isFound: false)
      let connection = try Connection("http://nowhere.test:\(server.port)/", adapter: adapter)
      let underWay = Log<Int>()
      try await withThrowingTaskGroup(of: TransportError.self) { group in
        for _ in 0..<200 {
          group.addTask {
            try await transportError {
              underWay.append(1)
              return try await connection.get("hello")
            }
          }
        }
        let isRemembered = index > 0 && Library.Behaviour.remembersFailedLookups
        await until { underWay.elements.count == 200 && (isRemembered || NameLookup.count("nowhere.test") > 0) }
        gate.open()
        for try await error in group { #expect(error.code == .nameNotFound) }
      }
      // A few may have come when the first had failed already.
      #expect(NameLookup.count("nowhere.test") < 20, "burst \(index)")
    }
  }

  @Test func `a cancellation during a name lookup does not delay other requests`() async throws {
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("never.test", gate: gate)
    let connection = try server.connection()
    let stuck = Task { try await connection.send(try Request(.get, "http://never.test:\(server.port)/hello")) }
    await until { NameLookup.count("never.test") > 0 }
    stuck.cancel()
    await #expect(throws: CancellationError.self) { try await stuck.value }
    #expect(try await connection.get("hello").status == .ok)
  }

  @Test func `a slow name lookup is a connect timeout in the resolving phase`() async throws {
    let gate = Gate()
    defer { gate.open() }
    NameLookup.add("slow.test", gate: gate)
    var request = try Request(.get, "http://slow.test:\(server.port)/hello")
    request.options.timeouts.connect = .milliseconds(50)
    let error = try await transportError { [request] in try await server.connection().send(request) }
    #expect(error.code == .connectTimeout && error.phase == .resolving, "\(error)")
  }

  @Test func `child processes do not inherit sockets`() async throws {
    let response = try await server.connection().get("bytes/100000000") { $0.options.delivery = .streamed }
    let ours = (0..<20_000).filter { peerPort(of: $0) == server.port }
    #expect(!ours.isEmpty)
    for descriptor in ours { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
    withExtendedLifetime(response) {}
  }
}

extension Sequence {
  func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
