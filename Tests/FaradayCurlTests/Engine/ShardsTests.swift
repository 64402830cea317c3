@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

@Suite struct ShardsTests {
  @Test func `a request goes to the first shard with room`() {
    var shards = Shards()
    let first = (0..<3 * Shards.size).map { _ in shards.begin() }
    #expect(first == (0..<3).flatMap { Array(repeating: $0, count: Shards.size) })
    shards.end(in: 2)
    shards.end(in: 0)
    shards.end(in: 1)
    #expect((0..<4).map { _ in shards.begin() } == [0, 1, 2, 3])
  }

  @Test func `requests are spread evenly when all shards are full`() {
    var shards = Shards()
    for _ in 0..<Shards.maximum * Shards.size { _ = shards.begin() }
    let more = (0..<2 * Shards.maximum).map { _ in shards.begin() }
    #expect(more == Array(0..<Shards.maximum) + Array(0..<Shards.maximum))
    for _ in 0...2 { shards.end(in: 5) }
    #expect((0..<4).map { _ in shards.begin() } == [5, 5, 5, 0])
  }

  /// Sends that many requests, all of which are under way at the same time.
  private func wave(
    _ number: Int, _ count: Int, over adapter: CurlAdapter, to server: RawServer, _ arrived: Log<Int>, _ gate: Gate
  )
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          let response = try await adapter.send(Request("\(server.url)/\(number)"))
          #expect(response.status == .noContent)
        }
      }
      await until { arrived.elements.filter { $0 == number }.count == count }
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test func `the connections of all shards are used again`() async throws {
    let arrived = Log<Int>()
    let gates = (0..<4).map { _ in Gate() }
    let server = try RawServer { connection in
      while true {
        let wave = try connection.readHead().dropFirst(5).prefix(1)
        guard let number = Int(wave) else { return }
        arrived.append(number)
        gates[number].wait()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let count = 2 * Shards.size + 10
    let adapter = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: count))
    try await wave(0, count, over: adapter, to: server, arrived, gates[0])
    try await wave(1, count, over: adapter, to: server, arrived, gates[1])
    try await wave(2, 1, over: adapter, to: server, arrived, gates[2])
    try await wave(3, Shards.size + 1, over: adapter, to: server, arrived, gates[3])
    #expect(server.connectionCount == count)
    #expect(adapter.statistics.connections.opened == count)
    server.stop()
  }

  @Test func `a reserved connection is used, whatever its shard is`() throws {
    let request = try Request("http://origin.example/")
    let transfer = Transfer(
      try Capabilities.all.checked(request, of: "CurlAdapter"), TransferSettings(CurlAdapter.Configuration()))
    let sockets = Sockets()
    #expect(transfer.chooseShard(in: sockets) == 0)
    let endpoints = Sockets.Endpoints(remote: "127.0.0.1", 80, local: "127.0.0.1", 1)
    sockets.opened(1000)
    _ = sockets.connected([1000], endpoints)
    sockets.established(1000, to: "http://origin.example")
    sockets.made(1000, with: nil, TCPSettings(), shard: 3)
    #expect(transfer.reserveConnection(of: sockets))
    #expect(transfer.chooseShard(in: sockets) == 3)
    sockets.closed(1000)
    #expect(transfer.chooseShard(in: sockets) == 0)
  }

  @Test func `requests that may share a connection have no shards`() throws {
    var request = try Request("http://origin.example/")
    request.options.httpVersion = .http2PriorKnowledge
    let transfer = Transfer(
      try Capabilities.all.checked(request, of: "CurlAdapter"), TransferSettings(CurlAdapter.Configuration()))
    var admission = Admission<Transfer>(perOrigin: 1000, total: 1000)
    for _ in 0..<Shards.size { _ = admission.admit(transfer, to: "http://origin.example", now: 0) }
    let admitted = admission.admit(transfer, to: "http://origin.example", now: 0)
    let place = try #require(admitted)
    #expect(place.shard == 1)
    transfer.activate(at: place, slot: 0, now: 0)
    #expect(transfer.chooseShard(in: Sockets()) == 0)
  }
}
