@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

@Suite struct EngineTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  @Test func `the poll loop behaves like the epoll loop`() async throws {
    var configuration = CurlAdapter.Configuration()
    configuration.driver = .poll
    let connection = try server.connection(configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<60 {
        group.addTask {
          switch index % 4 {
          case 0:
            let text = try await connection.get("hello").body.utf8Text()
            #expect(text == "Hello, world!")
          case 1:
            let response = try await connection.get("bytes/3000000") { $0.options.delivery = .streamed }
            let whole = try await response.body.collect()
            #expect(whole == pattern(3_000_000))
          case 2:
            let response = try await connection.post("echo", body: .stream(Pieces(size: 1_000_000)))
            #expect(response.body.length == 1_000_000)
          default:
            let task = Task { try await connection.get("stall") }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
          }
        }
      }
      try await group.waitForAll()
    }
    let error = try await transportError { try await connection.get("stall") { $0.options.timeouts.idle = .milliseconds(50) } }
    #expect(error.code == .idleTimeout)
  }

  @Test func `several engines divide the origins and keep the connections of each`() async throws {
    // So many that hardly any seed of the hash leaves an engine out.
    let servers = try (0..<64).map { _ in try LocalServer() }
    var configuration = CurlAdapter.Configuration()
    configuration.threads = 3
    let adapter = CurlAdapter(configuration)
    let threads = Log<Set<UInt>>()
    for server in servers {
      let seen = Log<UInt>()
      let connection = try Connection(server.url + "/", adapter: adapter)
      for _ in 0..<3 {
        let response = try await connection.get("early-hints") {
          $0.options.onInformational = { _ in seen.append(UInt(pthread_self())) }
        }
        #expect(response.status == .ok)
      }
      #expect(server.connectionCount == 1)
      #expect(Set(seen.elements).count == 1)
      threads.append(Set(seen.elements))
    }
    #expect(Set(threads.elements).count == 3)
  }

  @Test func `a request in progress outlives its adapter`() async throws {
    let response = try await {
      let connection = try server.connection()
      return try await connection.get("bytes/20000000") { $0.options.delivery = .streamed }
    }()
    #expect(try await response.body.collect() == pattern(20_000_000))
  }

  @Test func `an adapter needs no shutdown, used or not`() async throws {
    for _ in 0..<50 { _ = CurlAdapter() }
    for _ in 0..<50 { #expect(try await server.connection().get("hello").status == .ok) }
  }

  @Test @MainActor func `callbacks from the main actor are called, on the engine's thread`() async throws {
    let adapter = CurlAdapter()
    let engine = await Task(executorPreference: adapter.taskExecutor) { UInt(pthread_self()) }.value
    #expect(engine != UInt(pthread_self()))
    let seen = Log<[UInt]>()
    let note: @Sendable (UInt) -> Void = { seen.append([$0, UInt(pthread_self())]) }
    let connection = try Connection(server.url + "/", adapter: adapter)
    let response = try await connection.post("echo", body: .stream(Pieces(size: 300_000))) {
      $0.options.onHead = { _ in note(1) }
      $0.options.onChunk = { _ in
        note(2)
        return .continue
      }
      $0.options.onUploadProgress = { _ in note(3) }
      $0.options.onDownloadProgress = { _ in note(4) }
    }
    #expect(response.status == .ok)
    _ = try await connection.get("early-hints") { $0.options.onInformational = { _ in note(5) } }
    #expect(Set(seen.elements.map(\.[0])) == [1, 2, 3, 4, 5])
    #expect(seen.elements.filter { $0[0] == 3 || $0[0] == 5 }.allSatisfy { $0[1] == engine })
  }
}
