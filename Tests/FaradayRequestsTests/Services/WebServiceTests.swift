import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct WebServiceTests {
  @Test(arguments: TestedAdapter.allCases, ["", "nonsense", "host/v2", "http://", "http://[", "ftp://host"])
  func `an invalid server URL fails the loading`(tested: TestedAdapter, url: String) async throws {
    let example = Example(url, ServiceNetwork(Connection(adapter: tested.adapter)))
    let error = await #expect(throws: TransportError.self) { try await example.server.get("path").load() }
    #expect(error?.code == (url == "ftp://host" ? .unsupportedScheme : .invalidURL))
    #expect(error?.method == .get && error?.phase == .building)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a connection's headers are sent to its own origin only`(tested: TestedAdapter) async throws {
    let (home, other) = (try LocalServer(), try LocalServer())
    let connection = try Connection(home.url, headers: ["Authorization": "secret"], adapter: tested.adapter)
    let network = ServiceNetwork(connection)
    #expect(try await Example(home.url, network).inspect().inspected().values("Authorization") == ["secret"])
    #expect(try await Example(other.url, network).inspect().inspected().values("Authorization").isEmpty)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a connection without a URL sends its headers to the service's origin only`(
    tested: TestedAdapter
  ) async throws {
    let (home, other) = (try LocalServer(), try LocalServer())
    let connection = Connection(
      headers: ["X-Key": "secret"], adapter: tested.adapter, middleware: [.authorization(.bearer("secret"))])
    let network = ServiceNetwork(connection)
    let example = Example(home.url + "/v2", network)
    for resource in [Example(home.url, network).inspect(), example.customResource(at: home.url).get("inspect")] {
      let seen = try await resource.inspected()
      #expect(seen.values("Authorization") == ["Bearer secret"] && seen.values("X-Key") == ["secret"])
    }
    let elsewhere = example.customResource(at: other.url)
    for resource: any ServiceResource in [elsewhere.get("inspect"), elsewhere.post("inspect").json([1])] {
      let seen = try await resource.inspected()
      #expect(seen.values("Authorization").isEmpty && seen.values("X-Key").isEmpty)
    }
    // Its own it keeps.
    let own = elsewhere.get("inspect").authorized(with: .bearer("own")).header("X-Key", "own")
    let seen = try await own.inspected()
    #expect(seen.values("Authorization") == ["Bearer own"] && seen.values("X-Key") == ["own"])
  }

  @Test func `a connection without a URL sends the credentials of its options to the service only`() async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    var options = Options()
    options.authentication = TransportAuthentication(user: "ada", password: "secret", schemes: [.digest])
    let example = Example("https://home.test", ServiceNetwork(Connection(defaults: options, adapter: mock)))
    _ = try await example.inspect().load()
    _ = try await example.customResource(at: "https://other.test").get("inspect").load()
    #expect(mock.recorded.map { $0.request.options.authentication?.user } == ["ada", nil])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a resource at the connection's own URL is same-origin, whatever the service's URL`(tested: TestedAdapter) async throws {
    let (home, other) = (try LocalServer(), try LocalServer())
    let connection = try Connection(
      home.url, headers: ["X-Key": "secret"], adapter: tested.adapter, middleware: [.authorization(.bearer("secret"))])
    let example = Example(other.url, ServiceNetwork(connection))
    let seen = try await example.customResource(at: home.url).get("inspect").inspected()
    #expect(seen.values("Authorization") == ["Bearer secret"] && seen.values("X-Key") == ["secret"])
    let own = try await example.inspect().inspected()
    #expect(own.values("Authorization").isEmpty && own.values("X-Key").isEmpty)
  }

  @Test func `a custom network sees which requests are cross-origin: all of a service without a valid URL`() throws {
    let example = Example("https://host/v2", NoNetwork())
    #expect(try example.customResource(at: "https://example.com").get("path").request().isCrossOrigin)
    #expect(try example.customResource(at: "http://host").post("path").request().isCrossOrigin)
    #expect(try !example.customResource(at: "https://HOST:443/v3").get("path").request().isCrossOrigin)
    #expect(try !example.server.get("//example.com/path").request().isCrossOrigin)
    for url in ["", "nonsense"] {
      #expect(try Example(url, NoNetwork()).customResource(at: "https://host").get("path").request().isCrossOrigin)
    }
  }

  @Test func `SW-02: a custom resource has another server's URL`() throws {
    let example = Example("https://host/v2", NoNetwork())
    let request = try example.customResource(at: "https://example.com").get("path").request()
    #expect(request.url.absoluteString == "https://example.com/path")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-02: a custom resource is loaded from the other server`(tested: TestedAdapter) async throws {
    let (server, other) = (try LocalServer(), try LocalServer())
    let example = Example(server, tested)
    #expect(try await example.customResource(at: other.url).get("hello").load().status == .ok)
    #expect(server.requestCount == 0 && other.requestCount == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-05: the verbs set method and URL`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let root = Example(server, tested).server
    let resources: [(any ServiceResource, HTTPRequest.Method)] = [
      (root.get("inspect"), .get), (root.post("inspect"), .post), (root.put("inspect"), .put), (root.patch("inspect"), .patch),
      (root.delete("inspect"), .delete), (root.options("inspect"), .options), (root.head("inspect"), .head),
    ]
    for (resource, method) in resources {
      let request = try resource.networkResource.request()
      #expect(request.method == method && request.url.absoluteString == server.url + "/inspect")
      if method == .head {
        #expect(try await resource.load().status == .ok)
      } else {
        let seen = try await resource.inspected()
        #expect(seen.method == method.rawValue && seen.target == "/inspect")
      }
    }
  }

  @Test(arguments: TestedAdapter.allCases, ["status/400", "/status/400"])
  func `SW-18: a leading slash of the path makes no difference`(tested: TestedAdapter, path: String) async throws {
    let server = try LocalServer()
    let error = await #expect(throws: StatusError.self) { try await Example(server, tested).server.get(path).load() }
    #expect(error?.status.code == 400)
  }

  @Test func `the server's path and query are kept, and an empty path changes nothing`() throws {
    let root = Example("https://host/v2?key=1", NoNetwork()).server
    #expect(try root.get().request().url.absoluteString == "https://host/v2?key=1")
    let request = try root.get("/users?sort=name").query(["page": 2]).request()
    #expect(request.url.absoluteString == "https://host/v2/users?key=1&sort=name&page=2")
  }

  @Test func `a custom network can load a service's resources`() async throws {
    let network = NoNetwork()
    let example = Example("https://host", network)
    await #expect(throws: Failed(name: "no network")) { try await example.server.get("a").load() }
    await #expect(throws: Failed(name: "no network")) { try await example.server.post("b").json("text").loadJSON() }
    #expect(network.asked.elements == ["GET https://host/a", "POST https://host/b"])
  }

  @Test func `a typed request can be loaded as a resource`() throws {
    let typed = AnonymousRequestProvider(baseURL: "https://host").get(.text, from: "a").adding(queryItem: .init("b", "c"))
    let request = try NetworkResource(typed, network: NoNetwork()).tag("t").request()
    #expect(request.url.absoluteString == "https://host/a?b=c" && request.options.tags == ["t"])
  }
}
