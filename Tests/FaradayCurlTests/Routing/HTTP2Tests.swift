@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import TestServers
import Testing

@Suite(.enabled(if: Library.hasReliableHTTP2)) struct HTTP2Tests {
  let upstream: LocalServer
  let nginx: NginxServer
  let connection: Connection

  init() throws {
    upstream = try LocalServer()
    nginx = try NginxServer(upstream: upstream.port)
    var defaults = Options()
    defaults.tls.caFile = nginx.caFile
    defaults.httpVersion = .http2
    connection = try Connection(nginx.url, defaults: defaults, adapter: CurlAdapter())
  }

  @Test func `HTTP/2 is used if requested, and not with HTTP/1`() async throws {
    let response = try await connection.get("upstream/hello")
    #expect(response.version == .http2)
    #expect(try await response.body.utf8Text() == "Hello, world!")
    let old = try await connection.get("upstream/hello") { $0.options.httpVersion = .http1 }
    #expect(old.version == .http1_1)
    let automatic = try await connection.get("upstream/hello") { $0.options.httpVersion = .automatic }
    #expect(automatic.version == .http2)
  }

  @Test func `a request with trailers uses HTTP/1.1`() async throws {
    let asked = Log<Int>()
    let response = try await connection.post("upstream/echo", body: .stream(Pieces("text"))) {
      $0.options.httpVersion = .automatic
      $0.options.requestTrailers = {
        asked.append(1)
        return [:]
      }
    }
    #expect(response.version == .http1_1 && asked.elements == [1])
  }

  @Test(arguments: [10, 60_000, 2_000_000])
  func `HTTP/2 transfers bodies in both directions`(count: Int) async throws {
    for body in [Body.data(pattern(count)), .stream(Pieces([pattern(count)]))] {
      let response = try await connection.post("upstream/echo", body: body)
      #expect(response.body.data == pattern(count))
      #expect(response.version == (Library.Behaviour.hasSoundStreams ? .http2 : .http1_1))
    }
  }

  @Test func `a streamed body is complete over HTTP/2`() async throws {
    let response = try await connection.get("upstream/bytes/30000000") { $0.options.delivery = .streamed }
    #expect(response.version == (Library.Behaviour.hasSoundStreams ? .http2 : .http1_1))
    #expect(try await response.body.collect() == pattern(30_000_000))
  }

  @Test func `the server sees at once that a stream is cancelled`() async throws {
    let hasBegun = Gate()
    let task = Task {
      try await connection.get("upstream/bytes/10000000000") {
        $0.options.onChunk = { _ in
          hasBegun.open()
          return .continue
        }
      }
    }
    #expect(await hasBegun.opened())
    #expect(upstream.openConnectionCount == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) {
      try await connection.get("upstream/bytes/10000000000") { $0.options.onChunk = { _ in .cancel } }
    }
    await until { upstream.openConnectionCount == 0 }
  }

  @Test func `a body without a length is incomplete if its connection dies`() async throws {
    let began = (0..<30).map { _ in Gate() }
    let outcomes = await withTaskGroup(of: Result<Response, any Error>.self) { group in
      for gate in began {
        group.addTask {
          await Result {
            try await connection.get("upstream/bytes/100000000000?chunked=10000") {
              $0.options.onChunk = { _ in
                gate.open()
                return .continue
              }
            }
          }
        }
      }
      for gate in began { #expect(await gate.opened()) }
      try? nginx.killWorker()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == began.count)
    for outcome in outcomes {
      let error = #expect(throws: TransportError.self) { try outcome.get() }
      #expect(error?.phase == .receiving && error?.partialResponse?.status == .ok, "\(String(describing: error))")
    }
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
