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

  @Test(arguments: [nil, .milliseconds(1)] as [Duration?])
  func `the other address family is tried while the first is silent`(delay: Duration?) async throws {
    let (server, silent) = try FullListener.besideServer()
    defer { server.stop() }
    #expect(try await CurlAdapter().send(try request(server.port, after: delay)).status == .noContent)
    withExtendedLifetime(silent) {}
  }

  /// Its connect timeout is longer than the delay that is libcurl's own.
  @Test(.enabled(if: Library.version < 0x08_09_00, "newer libcurl begins with IPv6, where the server is"))
  func `the other address family is not tried before the delay`() async throws {
    let (server, silent) = try FullListener.besideServer()
    defer { server.stop() }
    var request = try request(server.port, after: .seconds(3600))
    request.options.timeouts.connect = .milliseconds(600)
    let error = try await transportError { [request] in try await CurlAdapter().send(request) }
    #expect(error.code == .connectTimeout && server.connectionCount == 0, "\(error)")
    withExtendedLifetime(silent) {}
  }
}
