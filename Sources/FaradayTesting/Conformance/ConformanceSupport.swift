package import FaradayCore
internal import Synchronization

/// What callbacks of other threads saw, in order.
package final class Log<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  package init() {}
  package func append(_ element: Element) { state.withLock { $0.append(element) } }
  package var elements: [Element] { state.withLock { $0 } }
}

/// Waits for what nothing tells of: looks once a millisecond, and leaves the processor to others in between.
package func until(_ isSo: () -> Bool) async {
  while !isSo(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

/// An async sequence of what it was given.
package struct Pieces: AsyncSequence, Sendable {
  let pieces: [Data]

  package init(_ pieces: [Data]) { self.pieces = pieces }
  package init(_ texts: String...) { pieces = texts.map { Data($0.utf8) } }
  /// So many bytes in pieces of 64 KiB, which are all the same piece.
  package init(size: Int) {
    let piece = Data(repeating: 0x61, count: 64 << 10)
    pieces = Array(repeating: piece, count: size / piece.count) + [piece.prefix(size % piece.count)]
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var rest: ArraySlice<Data>
    package mutating func next() async -> Data? { rest.popFirst() }
  }
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}

/// A file that goes with its last reference.
package final class TemporaryFile: Sendable {
  package let path: String

  package init(_ contents: Data) throws {
    path = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try contents.write(to: URL(filePath: path))
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The ways to say what a request's body is.
enum BodyKind: String, CaseIterable {
  case bytes, file
  case stream = "a sequence of known length"
  case chunked = "a sequence of unknown length"

  static let streamed: [BodyKind] = [.file, .stream, .chunked]

  var needs: Capabilities { self == .bytes ? [] : .streamedUpload }

  /// Runs `use` with these bytes as such a body.
  func with<Result>(_ data: Data, _ use: (Body) async throws -> Result) async throws -> Result {
    let cut = data.count / 3
    let pieces = Pieces([data.prefix(cut), data.dropFirst(cut).prefix(cut), data.dropFirst(2 * cut)])
    switch self {
    case .bytes: return try await use(.data(data))
    case .stream: return try await use(.stream(pieces, length: Int64(data.count)))
    case .chunked: return try await use(.stream(pieces))
    case .file:
      let file = try TemporaryFile(data)
      let result = try await use(.file(file.path))
      withExtendedLifetime(file) {}
      return result
    }
  }
}

/// Gives one piece, then waits until it is cancelled. The gates open when somebody reads it, and when nobody does any more.
package struct DrySource: AsyncSequence, Sendable {
  package let hasBegun = Gate()
  package let hasGone = Gate()

  package init() {}

  package final class AsyncIterator: AsyncIteratorProtocol {
    private let hasGone: Gate
    private var isFirst = true

    fileprivate init(_ hasGone: Gate) { self.hasGone = hasGone }
    deinit { hasGone.open() }

    package func next() async -> Data? {
      defer { isFirst = false }
      if isFirst { return Data("piece".utf8) }
      let (silence, speaker) = AsyncStream.makeStream(of: Data.self)
      for await _ in silence {}
      speaker.finish()
      return nil
    }
  }
  package func makeAsyncIterator() -> AsyncIterator {
    hasBegun.open()
    return AsyncIterator(hasGone)
  }
}
