@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Glibc
import Testing

/// The proxies that the environment names. Each test is a process of its own: nothing may write an environment that others read.
@Suite struct ProxyEnvironmentTests {
  @Test func `the proxy of the environment is used, except for no_proxy hosts`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try RecordingProxy()
      let server = try LocalServer()
      setenv("http_proxy", proxy.url, 1)
      for (exceptions, host, isDirect) in [
        ("", "127.0.0.1", false), ("127.0.0.1", "127.0.0.1", true), ("other.invalid", "127.0.0.1", false),
        ("other.invalid, 127.0.0.1", "127.0.0.1", true), ("*", "127.0.0.1", true), ("127.0.0.0/8", "127.0.0.1", true),
        ("localhost", "localhost", true), ("host", "localhost", false), ("name.invalid", "a.name.invalid", true),
        (".name.invalid", "a.name.invalid", true), ("name.invalid", "aname.invalid", false),
      ] {
        setenv("no_proxy", exceptions, 1)
        let before = proxy.targets.elements.count
        let url = "http://\(host):\(server.port)/hello"
        // Of the names that are not to go through the proxy, some do not exist.
        let text = try? await CurlAdapter().send(try Request(.get, url)).body.utf8Text()
        #expect(text == (isDirect ? (host.hasSuffix("invalid") ? nil : "Hello, world!") : "proxied"), "\(exceptions): \(host)")
        #expect(proxy.targets.elements.count - before == (isDirect ? 0 : 1), "\(exceptions): \(host)")
      }
    }
  }

  @Test func `upper-case variables count, except HTTP_PROXY, which a CGI client can set`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try RecordingProxy()
      let request = try Request(.get, "http://anywhere.invalid/")
      setenv("HTTP_PROXY", proxy.url, 1)
      await #expect(throws: TransportError.self) { try await CurlAdapter().send(request) }
      setenv("ALL_PROXY", proxy.url, 1)
      #expect(try await CurlAdapter().send(request).body.utf8Text() == "proxied")
      setenv("NO_PROXY", "anywhere.invalid", 1)
      await #expect(throws: TransportError.self) { try await CurlAdapter().send(request) }
      #expect(proxy.targets.elements.count == 1)
    }
  }

  @Test func `an explicit proxy is used whatever no_proxy says`() async {
    await #expect(processExitsWith: .success) {
      setenv("no_proxy", "bypassed.invalid", 1)
      let proxy = try RecordingProxy()
      var configuration = CurlAdapter.Configuration()
      configuration.proxy = .url(proxy.url)
      let response = try await CurlAdapter(configuration).send(try Request(.get, "http://bypassed.invalid/"))
      #expect(try await response.body.utf8Text() == "proxied")
    }
  }

  @Test func `an explicit direct connection ignores the environment's proxy`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try RecordingProxy()
      for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.url, 1) }
      var configuration = CurlAdapter.Configuration()
      configuration.proxy = .direct
      let server = try LocalServer()
      let response = try await CurlAdapter(configuration).send(try Request(.get, server.url + "/hello"))
      #expect(try await response.body.utf8Text() == "Hello, world!")
      #expect(proxy.targets.elements.isEmpty)
    }
  }
}

/// A proxy that responds to every request itself, and records the requests.
private final class RecordingProxy: Sendable {
  let targets = Log<String>()
  private let server: RawServer

  var url: String { server.url }

  init() throws {
    server = try RawServer { [targets] connection in
      while true {
        targets.append(String(try connection.readHead().split(separator: " ")[1]))
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nproxied")
      }
    }
  }
}
