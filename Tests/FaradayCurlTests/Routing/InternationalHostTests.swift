import Faraday
import FaradayCurl
import FaradayTesting
import Testing

/// Options for a host apply to all spellings of the host: the engine uses one spelling.
@Suite struct InternationalHostTests {
  static let spellings = [
    "bücher.example", "b%C3%BCcher.example", "B%C3%9CCHER.example", "xn--bcher-kva.example", "XN--BCHER-kva.Example",
  ]

  private func status(edit: @escaping (inout Request) throws -> Void) async throws -> HTTPResponse.Status {
    let server = try LocalServer()
    let url = server.url.replacing("127.0.0.1", with: "b%C3%BCcher.example")
    return try await Connection(url, adapter: CurlAdapter(), middleware: []).get { request in
      request.options.network.connectTo = [ConnectTo(toHost: "127.0.0.1")]
      try edit(&request)
    }.status
  }

  @Test(arguments: spellings) func `a host override works for an international host`(spelling: String) async throws {
    #expect(try await status { $0.options.network.connectTo = [ConnectTo(host: spelling, toHost: "127.0.0.1")] } == .ok)
    #expect(
      try await status {
        $0.options.network.connectTo = []
        $0.options.network.hostOverrides = [HostOverride(spelling, addresses: ["127.0.0.1"])]
      } == .ok)
  }

  @Test(arguments: spellings.flatMap { [$0, "." + $0, "x.test, " + $0] } + [".example"])
  func `a proxy exception works for an international host`(exception: String) async throws {
    #expect(
      try await status {
        var proxy = try Proxy("http://127.0.0.1:9")
        proxy.exceptions = ["other.test", exception]
        $0.options.proxy = .proxy(proxy)
      } == .ok)
  }
}
