import Faraday
import FaradayTesting
import FoundationEssentials
import Logging
import Synchronization
import TestSupport
import Testing

/// Bodies that pass through an ``ExchangeLogger``.
@Suite struct ExchangeLoggerDeliveryTests {
  private let log = CapturedLog()
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func connection(_ tested: TestedAdapter, _ detail: ExchangeLogger.Detail = .line) throws -> Connection {
    try Connection(server.url + "/", adapter: tested.adapter, middleware: [.logger(log.logger(), detail)])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a failing streamed body is logged with the bytes received, and its error reaches the caller`(tested: TestedAdapter)
    async throws
  {
    struct Broken: Error {}
    let broken = MiddlewareClosure { request, next in
      var response = try await next(request)
      response.body = .stream(Failing(body: response.body, error: Broken()), length: 13)
      return response
    }
    var connection = try connection(tested)
    connection.use(broken)
    let response = try await connection.get("hello") { $0.options.delivery = .streamed }
    #expect(response.body.length == 13 && log.messages.isEmpty)
    await #expect(throws: Broken.self) { try await response.body.utf8Text() }
    #expect(log.levels == [.warning])
    #expect(log.messages.first?.contains(" 200, failed after 13 bytes and ") == true)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed body that is not read to its end is logged when it is released`(tested: TestedAdapter) async throws {
    do { _ = try await connection(tested).get("hello") { $0.options.delivery = .streamed } }
    #expect(log.messages.count == 1 && log.messages.first?.contains(" 200, left after 0 bytes and ") == true)
    let response = try await connection(tested).get("bytes/50000000") { $0.options.delivery = .streamed }
    for try await _ in response.body { break }
    #expect(log.messages.count == 2 && log.messages.last?.contains(" 200, left after ") == true)
    withExtendedLifetime(response) {}
  }

  @Test(arguments: TestedAdapter.allCases, TestedDelivery.allCases)
  func `the body is delivered unchanged, and its size and beginning are logged at its end`(
    tested: TestedAdapter, delivery: TestedDelivery
  ) async throws {
    let (response, text) = try await delivery.get("hello", over: connection(tested, .full(bodyLimit: 5)))
    #expect(response.status == .ok && text == "Hello, world!")
    #expect(log.messages.count == 2 && log.levels == [.info, .info])
    let message = try #require(log.messages.last)
    #expect(message.hasPrefix("GET \(server.url)/hello 200, 13 bytes in "))
    #expect(message.hasSuffix("<\n< Hello… (5 of 13 bytes)"))
    #expect(log.metadata.last?["bytes"] == "13")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `trailers of a streamed body are logged and delivered`(tested: TestedAdapter) async throws {
    guard tested.adapter.capabilities.contains(.trailers) else { return }
    let response = try await connection(tested, .full()).get("trailers") { $0.options.delivery = .streamed }
    #expect(try await response.body.utf8Text() == "trailing")
    #expect(response.trailers.count == 1)
    #expect(log.messages.last?.hasSuffix("< trailing\n< X-Checksum: abc") == true)
  }

  @Test func `a streamed body keeps its length and its replayability`() async throws {
    let mock = MockAdapter()
    let connection = try Connection("http://host/", adapter: mock, middleware: [.logger(log.logger())])
    var again = connection
    again.use { request, _ in
      Response(status: .ok, body: .stream(Pieces("a", "b"), length: 2, isReplayable: true), url: request.url)
    }
    let response = try await again.get()
    #expect(response.body.length == 2 && response.body.isReplayable)
    for _ in 0..<2 { #expect(try await response.body.utf8Text() == "ab") }
    #expect(log.messages.count == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `backpressure of the reader reaches the server through the logger`(tested: TestedAdapter) async throws {
    guard tested.adapter.capabilities.contains(.backpressure) else { return }
    let progress = Mutex<Int64>(0)
    let response = try await connection(tested).get("bytes/100000000") {
      $0.options.delivery = .streamed
      $0.options.onDownloadProgress = { sofar in progress.withLock { $0 = sofar.bytes } }
    }
    var iterator = response.body.makeAsyncIterator()
    _ = try await iterator.next()
    // Other exchanges, during which the engine could wrongly resume the paused one.
    for _ in 0..<50 { _ = try await connection(tested).get("bytes/100000") }
    #expect(progress.withLock { $0 } < 16 << 20)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a body whose chunk callback throws or cancels is logged as abandoned, and the caller gets the error`(
    tested: TestedAdapter
  ) async throws {
    struct Enough: Error {}
    await #expect(throws: Enough.self) {
      try await connection(tested).get("hello") { $0.options.onChunk = { _ in throw Enough() } }
    }
    await #expect(throws: CancellationError.self) {
      try await connection(tested).get("hello") { $0.options.onChunk = { _ in .cancel } }
    }
    // An error of the caller's closure is not a failure of the exchange.
    #expect(log.levels == [.info, .info])
    #expect(log.messages.allSatisfy { $0.contains("left after") })
  }
}

/// A body that fails where it should end.
private struct Failing: AsyncSequence, Sendable {
  typealias Element = Data
  let body: Body
  let error: any Error

  func makeAsyncIterator() -> Iterator { Iterator(rest: body.makeAsyncIterator(), error: error) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Body.AsyncIterator
    let error: any Error

    mutating func next() async throws -> Data? {
      guard let piece = try await rest.next() else { throw error }
      return piece
    }
  }
}
