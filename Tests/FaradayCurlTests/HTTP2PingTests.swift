import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

/// HTTP/2 PINGs at an interval.
@Suite(.timeLimit(.minutes(3))) struct HTTP2PingTests {
  private enum FrameType { static let headers: UInt8 = 1, settings: UInt8 = 4, ping: UInt8 = 6 }

  private func adapter() -> CurlAdapter {
    var configuration = CurlAdapter.Configuration(proxy: .direct)
    configuration.http2PingInterval = .seconds(1)
    return CurlAdapter(configuration)
  }

  private func request(to server: RawServer) throws -> Request {
    var request = try Request(server.url + "/")
    request.options.httpVersion = .http2PriorKnowledge
    return request
  }

  /// A server of HTTP/2 without TLS that notes its connections' PINGs.
  private func server(answers: Bool, _ pings: Log<Int>) throws -> RawServer {
    try RawServer { connection in
      try connection.send([0, 0, 0, FrameType.settings, 0, 0, 0, 0, 0])
      _ = try connection.read(exactly: 24)
      while true {
        let head = try connection.read(exactly: 9)
        let payload = try connection.read(exactly: head[..<3].reduce(0) { $0 << 8 | Int($1) })
        switch head[3] {
        case FrameType.settings where head[4] & 1 == 0: try connection.send([0, 0, 0, FrameType.settings, 1, 0, 0, 0, 0])
        case FrameType.ping where head[4] & 1 == 0:
          pings.append(connection.index)
          try connection.send([0, 0, 8, FrameType.ping, 1, 0, 0, 0, 0] + payload)
        // END_STREAM and END_HEADERS; 0x88 is `:status: 200` (RFC 7541).
        case FrameType.headers where answers: try connection.send([0, 0, 1, FrameType.headers, 5] + head[5...] + [0x88])
        default: break
        }
      }
    }
  }

  @Test(.enabled(if: Library.hasReliableHTTP2 && Library.Behaviour.pingsPooledConnections), arguments: [true, false])
  func `a connection sends PINGs while it is idle, and while its request waits`(isIdle: Bool) async throws {
    let pings = Log<Int>()
    let server = try server(answers: isIdle, pings)
    let adapter = adapter()
    let request = try request(to: server)
    let task = Task { try await adapter.send(request) }
    if isIdle { #expect(try await task.value.status == .ok) }
    await until { pings.elements.count >= 2 }
    if isIdle {
      #expect(try await adapter.send(request).metrics.reusedConnection)
    } else {
      task.cancel()
    }
    #expect(Set(pings.elements) == [0])
  }

  @Test(.enabled(if: !Library.Behaviour.pingsPooledConnections))
  func `a libcurl that cannot send them refuses requests that may use HTTP 2`() async throws {
    let server = try server(answers: true, Log())
    let adapter = adapter()
    guard adapter.capabilities.contains(.http2PriorKnowledge) else { return }
    let error = try await transportError { try await adapter.send(request(to: server)) }
    #expect(error.code == .unsupported && error.message.contains("8.12"), "\(error)")
  }
}
