import Faraday
import FaradayCurl
import FaradayTesting
import FaradayURLSession
import Foundation
import Synchronization
import Testing

/// The ways to have a body.
enum Way: String, CaseIterable {
  case buffered, streamed, chunks

  /// Sends a GET, and gives the response with its whole body.
  func get(_ path: String, over connection: Connection) async throws -> (response: Response, body: Data) {
    let seen = Mutex(Data())
    let response = try await connection.get(path) { [self] request in
      switch self {
      case .buffered: break
      case .streamed: request.options.delivery = .streamed
      case .chunks:
        request.options.onChunk = { piece in
          piece.withUnsafeBytes { bytes in seen.withLock { $0.append(contentsOf: bytes) } }
          return .continue
        }
      }
    }
    let body = try await response.body.collect()
    return (response, self == .chunks ? seen.withLock { $0 } : body)
  }
}

enum Over: String, CaseIterable {
  case curl, urlSession

  var adapter: any Adapter {
    switch self {
    case .curl: CurlAdapter()
    case .urlSession: URLSessionAdapter()
    }
  }
}

/// Custom middleware works with the public interface alone, in every delivery and over both adapters.
@Suite struct OwnMiddlewareTests {
  private static let combinations = Over.allCases.flatMap { over in Way.allCases.map { (over, $0) } }

  private static let refusal = Response.text("later", status: .serviceUnavailable)

  @Test(arguments: combinations) func `a custom retry works`(over: Over, way: Way) async throws {
    let server = try MockServer(Self.refusal, Self.refusal, .text("hello"))
    let connection = try Connection(server.url + "/", adapter: over.adapter, middleware: [SmallRetry(retries: 2)])
    let (response, body) = try await way.get("x", over: connection)
    #expect(response.status == .ok && body == Data("hello".utf8))
    #expect(server.recorded.count == 3)
    // One connection served all attempts: discarded bodies were read to their end.
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: combinations) func `a custom retry repeats a truncated body only if the caller gets it whole`(
    over: Over, way: Way
  )
    async throws
  {
    let server = try MockServer(.text("hello, and more").cut(after: 5), .text("hello"))
    let connection = try Connection(server.url + "/", adapter: over.adapter, middleware: [SmallRetry(retries: 2)])
    if way == .buffered {
      #expect(try await way.get("x", over: connection).body == Data("hello".utf8))
      #expect(server.recorded.count == 2)
    } else {
      await #expect(throws: TransportError.self) { try await way.get("x", over: connection) }
      #expect(server.recorded.count == 1)
    }
  }

  @Test(arguments: combinations) func `a custom cache works`(over: Over, way: Way) async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: over.adapter, middleware: [SmallCache()])
    let first = try await way.get("bytes/3000000", over: connection).body
    #expect(first.count == 3_000_000)
    for again in Way.allCases { #expect(try await again.get("bytes/3000000", over: connection).body == first) }
    #expect(server.requestCount == 1)
    #expect(try await way.get("hello", over: connection).response.status == .ok)
    #expect(server.requestCount == 2)
  }

  @Test(arguments: combinations) func `a custom cache stores no truncated body`(over: Over, way: Way) async throws {
    let server = try MockServer(.text("hello, and more").cut(after: 5), .text("hello"))
    let connection = try Connection(server.url + "/", adapter: over.adapter, middleware: [SmallCache()])
    await #expect(throws: TransportError.self) { try await way.get("x", over: connection) }
    for _ in 0..<2 { #expect(try await way.get("x", over: connection).body == Data("hello".utf8)) }
    #expect(server.recorded.count == 2)
  }

  @Test(arguments: combinations) func `a custom middleware can hash the body`(over: Over, way: Way) async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: over.adapter, middleware: [BodyHash()])
    for path in ["hello", "bytes/0", "bytes/1", "bytes/2000000", "drip?count=3"] {
      let (response, body) = try await way.get(path, over: connection)
      #expect(response.hash == BodyHash.Hash.fnv(body), "\(path)")
    }
  }

  @Test(arguments: combinations) func `several custom middleware work in one list`(over: Over, way: Way) async throws {
    let server = try MockServer(Self.refusal, .text("hello"))
    let connection = try Connection(
      server.url + "/", adapter: over.adapter, middleware: [BodyHash(), SmallCache(), SmallRetry(retries: 1), BodyHash()])
    for _ in 0..<2 {
      let (response, body) = try await way.get("x", over: connection)
      #expect(body == Data("hello".utf8) && response.hash == BodyHash.Hash.fnv(body))
    }
    #expect(server.recorded.count == 2)
  }
}

/// Another package can run the conformance rules. They need no installed program and no code of this package's tests.
@Suite(.serialized) struct OutsideConformanceTests {
  static let adapter = URLSessionAdapter()
  static let groups: Set = ["methods", "trailers", "cancellation", "refusals"]
  static let rules = AdapterConformance.cases(for: adapter.capabilities).filter { groups.contains($0.group) }

  @Test(arguments: rules) func `an adapter keeps the rules of the product`(rule: AdapterConformance.Case) async throws {
    try await rule.run(over: Self.adapter)
  }
}

/// An adapter that is made of a response stream delivers as ours do.
@Suite struct OwnAdapterTests {
  private static let pieces = (0..<200).map { Data(repeating: UInt8($0), count: $0 * 37 % 900) }

  @Test(arguments: Way.allCases) func `a custom adapter delivers the whole body in every delivery`(way: Way) async throws {
    let adapter = PushingAdapter(pieces: Self.pieces)
    let connection = try Connection("http://h/", adapter: adapter)
    let (response, body) = try await way.get("x", over: connection)
    #expect(body == Data(Self.pieces.joined()))
    #expect(response.headers[.server] == "pushing" && response.trailers[.eTag] == "\"end\"")
    #expect(adapter.log.cancellations == 0)
  }

  @Test(arguments: Way.allCases) func `a failed body delivers its first bytes and then the error`(way: Way) async throws {
    let connection = try Connection("http://h/", adapter: PushingAdapter(pieces: Self.pieces, failure: .truncatedResponse))
    let error = await #expect(throws: TransportError.self) { try await way.get("x", over: connection) }
    #expect(error?.code == .truncatedResponse)
    if way == .buffered { #expect(error?.partialResponse?.body.data == Data(Self.pieces.joined())) }
  }

  @Test func `a slow reader pauses the custom engine, and a released one cancels it`() async throws {
    let adapter = PushingAdapter(pieces: Self.pieces)
    let connection = try Connection("http://h/", adapter: adapter)
    do {
      let response = try await connection.get { $0.options.delivery = .streamed }
      var pieces = response.body.makeAsyncIterator()
      _ = try await pieces.next()
      while adapter.log.pauses == 0 { await Task.yield() }
      #expect(adapter.log.written < Self.pieces.count)
    }
    while adapter.log.cancellations == 0 { await Task.yield() }
  }

  @Test func `a cancelling closure ends the custom exchange`() async throws {
    let adapter = PushingAdapter(pieces: Self.pieces)
    let connection = try Connection("http://h/", adapter: adapter)
    await #expect(throws: CancellationError.self) { try await connection.get { $0.options.onChunk = { _ in .cancel } } }
    #expect(adapter.log.written < Self.pieces.count)
  }

  @Test func `a custom adapter gets the validated request and reads its body with backpressure`() async throws {
    let adapter = PushingAdapter(pieces: Self.pieces)
    let connection = try Connection("HTTP://Bücher.example/", adapter: adapter)
    let pieces = AsyncStream<Data> { pieces in
      for _ in 0..<100 { pieces.yield(Data(repeating: 7, count: 9973)) }
      pieces.finish()
    }
    _ = try await connection.post(headers: ["Cookie": "a=1"], body: .stream(pieces, length: 997_300)) {
      $0.headers.append(HTTPField(name: .cookie, value: "b=2"))
      $0.headers[.contentLength] = "997300"
    }
    #expect(adapter.log.received == 997_300)
    #expect(adapter.log.origin == "http://xn--bcher-kva.example")
    #expect(adapter.log.fields.filter { $0.name == .cookie }.map(\.value) == ["a=1; b=2"])
    #expect(!adapter.log.fields.contains { $0.name == .contentLength })
  }

  @Test(arguments: [5, 15]) func `a custom adapter reports a body with another length than stated`(length: Int64) async throws {
    let connection = try Connection("http://h/", adapter: PushingAdapter(pieces: Self.pieces))
    let pieces = AsyncStream<Data> { pieces in
      pieces.yield(Data("ten bytes!".utf8))
      pieces.finish()
    }
    let error = await #expect(throws: TransportError.self) {
      try await connection.post(body: .stream(pieces, length: length))
    }
    #expect(error?.code == .bodyUnreadable && error?.underlying != nil)
  }

  @Test func `a custom adapter refuses options that it lacks`() async throws {
    let connection = try Connection("http://h/", adapter: PushingAdapter(pieces: []))
    let error = await #expect(throws: TransportError.self) {
      try await connection.get { $0.options.timeouts.total = .seconds(1) }
    }
    #expect(error?.code == .unsupported)
  }
}
