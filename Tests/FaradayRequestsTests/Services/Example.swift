import Faraday
import FaradayTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// The service of these tests: a server on this machine, spoken to over either adapter.
struct Example: WebService {
  let serverURL: String
  let network: any WebServiceNetworkInterface

  func inspect() -> NetworkResource { server.get("inspect") }
  func echo() -> NetworkResourceWithBody { server.post("echo") }

  init(_ url: String, _ network: any WebServiceNetworkInterface) {
    serverURL = url
    self.network = network
  }

  init(
    _ server: LocalServer, _ tested: TestedAdapter, constraints: [any Constraint] = [], interceptors: [any Interceptor] = []
  ) {
    let connection = Connection(adapter: tested.adapter)
    self.init(server.url, ServiceNetwork(connection, constraints: constraints, interceptors: interceptors))
  }

  /// A service over an adapter that responds as the closure says, and records its requests.
  init(
    _ mock: MockAdapter, constraints: [any Constraint] = [], interceptors: [any Interceptor] = [],
    answer: @escaping MockAdapter.Responder = { Response(status: .ok, url: $0.url) }
  ) {
    mock.stub(where: { _ in true }, respond: answer)
    let connection = Connection(adapter: mock)
    self.init("http://host", ServiceNetwork(connection, constraints: constraints, interceptors: interceptors))
  }
}

extension ServiceResource {
  /// The request as the server saw it.
  func inspected() async throws -> Inspected { try await loadJSON(Inspected.self) }
}

struct Failed: Error, Equatable {
  var name = ""
}

/// A constraint whose work the test lets go on.
final class Held: Constraint {
  let begun = Log<String>()
  let mayEnd = Gate()
  private let isDone = Mutex(false)
  private let error: Failed?

  init(failingWith error: Failed? = nil) { self.error = error }

  func isSatisfied(for request: Request) async throws -> Bool { isDone.withLock { $0 } }

  func satisfy(for request: Request) async throws {
    begun.append(request.url.path())
    #expect(await mayEnd.opened())
    if let error { throw error }
    isDone.withLock { $0 = true }
  }
}

/// Loads nothing, and counts how often it was asked to.
final class NoNetwork: WebServiceNetworkInterface {
  let asked = Log<String>()

  func load(_ resource: NetworkResource) async throws -> Response {
    asked.append(resource.description)
    throw Failed(name: "no network")
  }
}
