@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Testing

/// The second family of addresses is tried when the first has been tried for so long.
@Suite struct HappyEyeballsTests {
  private func request(_ port: Int, after delay: Duration?) throws -> Request {
    var request = try Request("http://two-families.invalid:\(port)/")
    request.options.network.hostOverrides = [HostOverride("*", addresses: ["127.0.0.1", "::1"])]
    request.options.network.happyEyeballsDelay = delay
    return request
  }

  @Test(arguments: [nil, .milliseconds(1)] as [Duration?], [.ipv4, .ipv6] as [Loopback])
  func `the other address family is tried while the first is silent`(delay: Duration?, address: Loopback) async throws {
    let (server, silent) = try FullListener.beside(serverOn: address)
    defer { server.stop() }
    #expect(try await CurlAdapter().send(try request(server.port, after: delay)).status == .noContent)
    withExtendedLifetime(silent) {}
  }

  /// The connect timeout is longer than the delay that is libcurl's own.
  @Test func `the other address family is not tried before the delay`() async throws {
    let (server, silent) = try FullListener.beside(serverOn: try await firstFamily() == .ipv4 ? .ipv6 : .ipv4)
    defer { server.stop() }
    var request = try request(server.port, after: .seconds(3600))
    request.options.timeouts.connect = .milliseconds(600)
    let error = try await transportError { [request] in try await CurlAdapter().send(request) }
    #expect(error.code == .connectTimeout && server.connectionCount == 0, "\(error)")
    withExtendedLifetime(silent) {}
  }

  /// The family that this libcurl tries first: a request to a server of the other family waits for the delay.
  private func firstFamily() async throws -> Loopback {
    try await withThrowingTaskGroup(of: Loopback.self) { group in
      for family in [Loopback.ipv4, .ipv6] {
        let (server, silent) = try FullListener.beside(serverOn: family)
        var request = try request(server.port, after: .seconds(3600))
        request.options.timeouts.connect = nil
        group.addTask { [request] in
          defer { withExtendedLifetime(silent) { server.stop() } }
          _ = try await CurlAdapter().send(request)
          return family
        }
      }
      defer { group.cancelAll() }
      return try #require(try await group.next())
    }
  }
}
