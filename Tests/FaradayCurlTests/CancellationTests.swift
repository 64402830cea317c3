import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct CancellationTests {
  /// A server that tells when a request has come and when the client has closed the connection, and never answers whole.
  private struct Stalling {
    let hasRequest = Gate()
    let hasClosed = Gate()
    let server: RawServer

    init(answering text: String = "") throws {
      server = try RawServer { [hasRequest, hasClosed] connection in
        _ = try connection.readHead()
        try connection.send(text)
        hasRequest.open()
        connection.waitForClose()
        hasClosed.open()
      }
    }
  }

  @Test func `a request that waits for a slot can be cancelled, and the others go on`() async throws {
    let stalling = try Stalling()
    var configuration = CurlAdapter.Configuration()
    configuration.connectionsPerOrigin = 1
    let connection = try stalling.server.connection(configuration)
    let first = Task { try await connection.get("first") }
    #expect(await stalling.hasRequest.opened())
    let waiting = Task { try await connection.get("waiting") }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(stalling.server.connectionCount == 1)
  }
}
