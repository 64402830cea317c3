import Faraday
import FaradayCurl
import FoundationEssentials
import Synchronization

/// The same work as the C program's, done as an application would.
struct Modes {
  let arguments: Arguments
  let connection: Connection
  let adapter: CurlAdapter

  struct Failed: Error, CustomStringConvertible { let description: String }

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .direct
    configuration.connectionsPerOrigin = 600
    configuration.connections = 600
    let layers = arguments.mode == "layers" ? 10 : 0
    adapter = CurlAdapter(configuration)
    connection = try Connection(
      arguments.url, adapter: adapter, middleware: Array(repeating: PassThrough(), count: layers))
  }

  /// Response bytes, or for uploads the bytes sent; and how long it took, where that is not the whole.
  func run() async throws -> (bytes: Int, duration: Duration?) {
    switch arguments.mode {
    case "get", "layers": (try await many { try await get() }, nil)
    case "download": (try await many { try await download() }, nil)
    case "lines": (try await many { try await lines() }, nil)
    case "get-on-engine": (try await onEngine { try await many { try await get() } }, nil)
    case "stream-on-engine": (try await onEngine { try await many { try await stream() } }, nil)
    case "stream": (try await many { try await stream() }, nil)
    case "upload": (try await many { try await upload() }, nil)
    case "idle": try await idle()
    default: throw Failed(description: "unknown mode \(arguments.mode)")
    }
  }

  private func onEngine(_ work: () async throws -> Int) async throws -> Int {
    try await withTaskExecutorPreference(adapter.taskExecutor, operation: work)
  }

  /// So many tasks, each with its share of the requests, one after the other.
  private func many(_ one: @escaping @Sendable () async throws -> Int) async throws -> Int {
    let left = Budget(arguments.requests)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<arguments.concurrency {
        group.addTask {
          var bytes = 0
          while left.take() { bytes += try await one() }
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private func get(_ url: String = "") async throws -> Int {
    let response = try await connection.get(url)
    try check(response)
    return response.body.data?.count ?? 0
  }

  private func download() async throws -> Int {
    let sum = Sum()
    try check(
      await connection.get {
        $0.options.onChunk = { bytes in
          sum.add(bytes.byteCount, first: bytes.unsafeLoad(as: UInt8.self))
          return .continue
        }
      })
    return sum.bytes
  }

  private func lines() async throws -> Int {
    let lines = LineSplitter(into: (bytes: 0, first: UInt8(0))) { sum, line in
      sum.bytes += line.byteCount + 1
      sum.first = line.unsafeLoad(as: UInt8.self)
      return .continue
    }
    try check(await connection.get { $0.options.onChunk = lines.take })
    return try lines.finish().bytes
  }

  private func stream() async throws -> Int {
    let response = try await connection.get { $0.options.delivery = .streamed }
    try check(response)
    var bytes = 0
    var first: UInt8 = 0
    for try await piece in response.body {
      bytes += piece.count
      first ^= piece.first ?? 0
    }
    return bytes + Int(first & 0)
  }

  private func upload() async throws -> Int {
    let body = Body.stream(Repeating(bytes: arguments.bytes), length: Int64(arguments.bytes))
    let response = try await connection.put(body: body)
    try check(response)
    return Int(response.metrics.bytesSent)
  }

  /// Opens so many exchanges whose bodies do not come, and times requests beside them.
  private func idle() async throws -> (Int, Duration?) {
    var stalled: [Response] = []
    for _ in 0..<arguments.concurrency { stalled.append(try await connection.get { $0.options.delivery = .streamed }) }
    let clock = ContinuousClock()
    var bytes = 0
    let duration = try await clock.measure {
      for _ in 0..<arguments.requests { bytes += try await get(arguments.second) }
    }
    withExtendedLifetime(stalled) {}
    return (bytes, duration)
  }

  private func check(_ response: Response) throws {
    guard response.status == .ok else { throw Failed(description: "the server answered \(response.status.code)") }
  }
}

/// A middleware that does nothing.
struct PassThrough: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response { try await next(request) }
}

/// How many requests are left to do.
final class Budget: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func take() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}

/// What a chunk callback counts. One transfer's callbacks are never called at the same time.
final class Sum: Sendable {
  private let count = Atomic<Int>(0)
  private let firsts = Atomic<UInt8>(0)

  func add(_ bytes: Int, first: UInt8) {
    count.wrappingAdd(bytes, ordering: .relaxed)
    firsts.store(first, ordering: .relaxed)
  }
  var bytes: Int { count.load(ordering: .relaxed) }
}

/// A body of that many bytes, all pieces the same 256 KiB.
struct Repeating: AsyncSequence, Sendable {
  let bytes: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    var left: Int
    let piece = Data(repeating: 0x61, count: 256 << 10)

    mutating func next() async -> Data? {
      guard left > 0 else { return nil }
      defer { left -= Swift.min(left, piece.count) }
      return left >= piece.count ? piece : piece.prefix(left)
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: bytes) }
}
