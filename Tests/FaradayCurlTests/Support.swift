import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

extension RawServer {
  /// A connection to it over an adapter of its own. The server then stays until the tests end: a test's last word about it
  /// is often that it made a connection.
  func connection(_ configuration: CurlAdapter.Configuration = .init()) throws -> Connection {
    Self.kept.append(self)
    return try Connection(url + "/", adapter: CurlAdapter(configuration))
  }

  private static let kept = Log<RawServer>()

  /// Answers the first request of every connection with these bytes, and closes.
  static func answering(_ bytes: [UInt8]) throws -> RawServer {
    try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(bytes)
      connection.halfClose()
      connection.waitForClose()
    }
  }

  static func answering(_ text: String) throws -> RawServer { try answering(Array(text.utf8)) }
}

extension LocalServer {
  func connection(_ configuration: CurlAdapter.Configuration = .init()) throws -> Connection {
    try Connection(url + "/", adapter: CurlAdapter(configuration))
  }
}

/// An async sequence of what it was given.
struct Pieces: AsyncSequence, Sendable {
  let pieces: [Data]
  init(_ pieces: [Data]) { self.pieces = pieces }
  init(_ texts: String...) { pieces = texts.map { Data($0.utf8) } }
  /// So many bytes in pieces of 64 KiB, which are all the same piece.
  init(size: Int) {
    let piece = Data(repeating: 0x61, count: 64 << 10)
    pieces = Array(repeating: piece, count: size / piece.count) + [piece.prefix(size % piece.count)]
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>
    mutating func next() async -> Data? { rest.popFirst() }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}

/// A file that goes with its last reference.
final class TemporaryFile: Sendable {
  let path: String

  init(_ contents: Data) throws {
    path = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try contents.write(to: URL(filePath: path))
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// What callbacks of another thread saw.
final class Log<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  func append(_ element: Element) { state.withLock { $0.append(element) } }
  var elements: [Element] { state.withLock { $0 } }
}

/// What the server's `/inspect` says of a request.
struct Inspected: Decodable {
  let method: String
  let target: String
  let headers: [[String]]
  let bodyLength: Int
  let bodyText: String?
  let framing: String

  func values(_ name: String) -> [String] {
    headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }

  init(_ response: Response) async throws {
    self = try JSONDecoder().decode(Inspected.self, from: try await response.body.collect())
  }
}

/// The error of an exchange that must fail, and fail with a transport error.
func transportError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Response
) async throws -> TransportError {
  let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
    let response = try await body()
    _ = try await response.body.collect(upTo: .max)
  }
  return try #require(error as? TransportError, "it was \(String(describing: error))", sourceLocation: sourceLocation)
}

/// What the server's `/bytes` sends.
func pattern(_ count: Int) -> Data {
  var whole = Data(capacity: count + period.count)
  while whole.count < count { whole.append(period) }
  return whole.prefix(count)
}

private let period = Data((0..<65_536).map(LocalServer.patternByte))
