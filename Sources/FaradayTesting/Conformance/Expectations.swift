internal import FaradayCore
private import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

func expect(
  _ isTrue: Bool, _ message: @autoclosure () -> String = "this is not so", file: String = #fileID, line: Int = #line
) throws {
  guard isTrue else { throw ConformanceFailure(message: message(), file: file, line: line) }
}

func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, file: String = #fileID, line: Int = #line) throws {
  try expect(value == expected, "\(shortened(value)) is not \(shortened(expected))", file: file, line: line)
}

/// The value, which must be there.
func require<Value>(_ value: Value?, _ message: String = "this is missing", file: String = #fileID, line: Int = #line) throws
  -> Value
{
  guard let value else { throw ConformanceFailure(message: message, file: file, line: line) }
  return value
}

/// The error of an exchange, read to its end, that must fail, and fail with a transport error of one of these codes.
@discardableResult
func expectFailure(
  _ codes: TransportError.Code..., file: String = #fileID, line: Int = #line, _ exchange: () async throws -> Response
) async throws -> TransportError {
  do {
    let response = try await exchange()
    _ = try await response.body.collect(upTo: .max)
  } catch let error as TransportError {
    try expect(codes.isEmpty || codes.contains(error.code), "\(error) is not \(codes)", file: file, line: line)
    return error
  } catch {
    throw ConformanceFailure(message: "\(error) is no transport error", file: file, line: line)
  }
  throw ConformanceFailure(message: "it did not fail", file: file, line: line)
}

/// What is awaited must throw an error of this type.
func expectThrows<Failure: Error>(
  _ type: Failure.Type, file: String = #fileID, line: Int = #line, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch is Failure {
    return
  } catch {
    throw ConformanceFailure(message: "\(error) is no \(type)", file: file, line: line)
  }
  throw ConformanceFailure(message: "it did not throw", file: file, line: line)
}

private func shortened(_ value: Any) -> String {
  let text = "\(value)"
  return text.count > 300 ? text.prefix(300) + "…" : text
}

/// What callbacks of other threads saw, in order.
final class Log<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  func append(_ element: Element) { state.withLock { $0.append(element) } }
  var elements: [Element] { state.withLock { $0 } }
}

/// An async sequence of what it was given.
struct Pieces: AsyncSequence, Sendable {
  let pieces: [Data]

  init(_ pieces: [Data]) { self.pieces = pieces }
  init(_ texts: String...) { pieces = texts.map { Data($0.utf8) } }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>
    mutating func next() async -> Data? { rest.popFirst() }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}

/// What the server's `/bytes` sends.
func pattern(_ count: Int) -> Data {
  var whole = Data(capacity: count + period.count)
  while whole.count < count { whole.append(period) }
  return whole.prefix(count)
}

private let period = Data((0..<65_536).map(LocalServer.patternByte))

/// What the server's `/inspect` says of a request.
struct Inspected: Decodable {
  let method: String
  let target: String
  let headers: [[String]]
  let bodyLength: Int
  let bodyText: String?
  let framing: String

  init(_ response: Response) async throws {
    self = try JSONDecoder().decode(Inspected.self, from: try await response.body.collect())
  }

  func values(_ name: String) -> [String] {
    headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }
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
