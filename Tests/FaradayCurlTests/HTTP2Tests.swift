import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
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

  @Test func `it is used when it is asked for, and not when HTTP 1 is`() async throws {
    let response = try await connection.get("upstream/hello")
    #expect(response.version == .http2)
    #expect(try await response.body.text() == "Hello, world!")
    let old = try await connection.get("upstream/hello") { $0.options.httpVersion = .http1 }
    #expect(old.version == .http1_1)
    let automatic = try await connection.get("upstream/hello") { $0.options.httpVersion = .automatic }
    #expect(automatic.version == .http2)
  }

  @Test(arguments: [10, 60_000, 2_000_000])
  func `bodies arrive`(count: Int) async throws {
    for body in [Body.data(pattern(count)), .stream(Pieces([pattern(count)]))] {
      let response = try await connection.post("upstream/echo", body: body)
      #expect(response.body.data == pattern(count))
      #expect(response.version == .http2)
    }
  }

  @Test func `a streamed body arrives whole`() async throws {
    let response = try await connection.get("upstream/bytes/30000000") { $0.options.delivery = .streamed }
    #expect(response.version == .http2)
    #expect(try await response.body.collect() == pattern(30_000_000))
  }

  @Test func `a server hears at once of a stream that nobody wants any more`() async throws {
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

  @Test func `a body without a length is not complete when its connection dies`() async throws {
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

  @Test(arguments: [1, 2, 30])
  func `nor when the server says goodbye in the middle`(count: Int) async throws {
    let server = try FrameServer(folder: nginx.folder)
    var connection = connection
    connection.url = URL(string: "https://localhost:\(server.port)/")
    let outcomes = await withTaskGroup(of: Result<Response, any Error>.self) { [connection] group in
      for _ in 0..<count { group.addTask { await Result { try await connection.get() } } }
      await server.answerHalf(of: count)
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count == count)
    for outcome in outcomes {
      // It failed in the middle of the body, and not for whatever else can be wrong with a server.
      let error = #expect(throws: TransportError.self) { try outcome.get() }
      #expect(error?.phase == .receiving, "\(String(describing: error))")
      #expect(error?.partialResponse?.status == .ok)
      #expect(error?.partialResponse?.body.data == Data("half of it".utf8))
    }
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
