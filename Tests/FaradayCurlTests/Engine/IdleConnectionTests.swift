@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

/// Idle connections are closed on time even without other requests.
@Suite struct IdleConnectionTests {
  /// The server's action on a connection after its response.
  private static let ends: [(name: String, end: @Sendable (RawConnection) throws -> Void)] = [
    ("says more", { try $0.send("x") }),
    ("ends its side", { $0.halfClose() }),
  ]

  @Test(arguments: ends.indices)
  func `a connection with unsolicited bytes is closed, and its descriptor is freed`(index: Int) async throws {
    let isRead = Gate()
    let isClosed = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard isRead.wait() else { return }
      try Self.ends[index].end(connection)
      connection.waitForClose()
      isClosed.open()
    }
    let connection = try server.connection()
    #expect(try await connection.get().status == .ok)
    let descriptor = try #require((0..<20_000).first { peerPort(of: $0) == server.port })
    isRead.open()
    #expect(await isClosed.opened())
    // Another socket stands there until libcurl looks at its connections, which is soon. The number may then be anything's.
    let substitute = socket(at: descriptor)
    await until { substitute == nil || socket(at: descriptor) != substitute }
    #expect(substitute == nil || socket(at: descriptor) != substitute)
  }

  /// A server that notes which of its connections the client has closed.
  private func noting(_ closed: Log<Int>) throws -> RawServer {
    try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  @Test func `a connection is closed after its idle time`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.idleConnectionTimeout = .seconds(1)
    let closed = Log<Int>()
    let server = try noting(closed)
    let connection = try server.connection(configuration)
    #expect(try await connection.get().status == .ok)
    await until { closed.elements == [0] }
    #expect(try await connection.get().status == .ok)
    await until { closed.elements == [0, 1] }
    #expect(closed.elements == [0, 1])
  }

  /// The end of the first connection brings the sweep forward, and no request follows.
  @Test func `a connection that is too young for one sweep is closed by a later one`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.idleConnectionTimeout = .seconds(2)
    let closed = Log<Int>()
    let (mayAnswer, isRead) = (Gate(), Gate())
    let server = try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        let isFirst = try connection.readHead().hasPrefix("GET /first ")
        if isFirst { mayAnswer.wait() }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        guard isFirst, isRead.wait() else { continue }
        connection.halfClose()
        connection.waitForClose()
        return
      }
    }
    let connection = try server.connection(configuration)
    let first = Task { try await connection.get("first") }
    await until { server.connectionCount == 1 }
    #expect(try await connection.get().status == .ok)
    mayAnswer.open()
    #expect(try await first.value.status == .ok)
    isRead.open()
    await until { closed.elements.count == 2 }
    #expect(Set(closed.elements) == [0, 1])
  }

  @Test func `a connection is closed at its maximum age`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.connectionLifetime = .seconds(1)
    let closed = Log<Int>()
    let server = try noting(closed)
    let connection = try server.connection(configuration)
    #expect(try await connection.get().status == .ok)
    await until { closed.elements == [0] }
    #expect(closed.elements == [0])
  }

  @Test func `a connection carries at most its maximum number of requests`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.requestsPerConnection = 2
    let server = try LocalServer()
    let connection = try server.connection(configuration)
    for _ in 0..<6 { #expect(try await connection.get("hello").status == .ok) }
    #expect(server.connectionCount == 3)
  }

  /// libcurl drops the bytes after the last chunk. The bytes that follow would be the next response.
  @Test(arguments: ["x", "HTTP/1.1 200 OK\r\n"])
  func `a chunked body with bytes after it ends the reuse of its connection`(more: String) async throws {
    let server = try RawServer { connection in
      while true {
        _ = try connection.readHead()
        let isFirst = connection.index == 0
        try connection.send(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" + (isFirst ? more : ""))
      }
    }
    let connection = try server.connection()
    for _ in 0..<3 { #expect(try await connection.get().body.utf8Text() == "ok") }
    #expect(server.connectionCount == 2)
  }

  /// The engine's thread is held from when the server is told to go on until the next request is there: it has looked at no
  /// event between the two.
  @Test func `bytes that arrived while the engine was blocked are not taken for a response`() async throws {
    let isRead = Gate()
    let isSaid = Gate()
    let server = try RawServer { connection in
      for round in 0... {
        let target = try connection.readHead().split(separator: " ")[1]
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)")
        guard connection.index == 0, round == 0, isRead.wait() else { continue }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        isSaid.open()
      }
    }
    defer { server.stop() }
    let adapter = CurlAdapter()
    let connection = try Connection(server.url + "/", adapter: adapter)
    func bodies() async throws -> [String] {
      let first = try await connection.get("first").body.utf8Text()
      isRead.open()
      block(until: isSaid)
      return [first, try await connection.get("second").body.utf8Text()]
    }
    #expect(try await withTaskExecutorPreference(adapter.taskExecutor) { try await bodies() } == ["/first", "/second"])
    #expect(server.connectionCount == 2)
  }
}

private func block(until gate: Gate) { gate.wait() }

/// The index of the socket with this descriptor among sockets that can replace ended ones; nil if it is another file.
private func socket(at descriptor: Int32) -> ino_t? {
  var address = sockaddr()
  var length = socklen_t(MemoryLayout<sockaddr>.size)
  var status = stat()
  guard getsockname(descriptor, &address, &length) == 0, Int32(address.sa_family) == AF_UNIX else { return nil }
  return fstat(descriptor, &status) == 0 ? status.st_ino : nil
}
