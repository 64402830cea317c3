package import FaradayCore
internal import Synchronization

/// A thread-safe log of values in order, such as arguments of callbacks on other threads.
package final class Log<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  package init() {}
  package func append(_ element: Element) { state.withLock { $0.append(element) } }
  package var elements: [Element] { state.withLock { $0 } }
}

/// Polls a condition once a millisecond, for events without a notification. Returns if it holds or if the task is cancelled.
package func until(_ isSo: () -> Bool) async {
  while !isSo(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

/// Thrown by an attempt of ``patiently(from:repeating:_:)`` that shows nothing: its limit expired before it was tested.
package struct TooSlow: Error, CustomStringConvertible {
  package init() {}
  package var description: String { "the limit expired too early, or the machine was too slow for the steps before" }
}

/// Runs an attempt with a limit in real time that must leave room for other steps, such as connecting. A busy machine can be too
/// slow for them. An attempt that finds out throws ``TooSlow``, and is repeated with a limit four times as long, three times at most.
/// All other times of the attempt must be in proportion to the limit, so that each attempt tests as much. Any other error ends it.
///
/// - Parameter code: the timeout of an exchange that must not time out, after which the attempt is repeated too. Only for exchanges
///   in which the machine's part of the time is not known.
package func patiently<Result>(
  from limit: Duration, repeating code: TransportError.Code? = nil, _ attempt: (Duration) async throws -> Result
) async throws -> Result {
  for factor in [1, 4, 16] {
    do { return try await attempt(limit * factor) } catch {
      try Task.checkCancellation()
      let isTimeout = code != nil && (error as? TransportError)?.code == code
      guard isTimeout || error is TooSlow else { throw error }
    }
  }
  return try await attempt(limit * 64)
}

/// Checks the phase in which a limit has expired. Throws ``TooSlow`` if the exchange had not come so far.
package func expectPhase(_ expected: TransportError.Phase, of error: TransportError) throws {
  let order: [TransportError.Phase] = [.building, .resolving, .connecting, .tls, .sending, .waiting, .receiving]
  let (place, expectedPlace) = (order.firstIndex(of: error.phase) ?? 0, order.firstIndex(of: expected) ?? 0)
  guard place >= expectedPlace else { throw TooSlow() }
  try expectEqual(error.phase, expected)
}

extension Duration {
  /// Rounded down.
  package var inMilliseconds: Int { Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) }
}

/// An async sequence of given pieces of data.
package struct Pieces: AsyncSequence, Sendable {
  let pieces: [Data]

  package init(_ pieces: [Data]) { self.pieces = pieces }
  package init(_ texts: String...) { pieces = texts.map { Data($0.utf8) } }
  /// So many bytes, as one repeated piece of 64 KiB.
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

/// A temporary file, deleted with its last reference.
package final class TemporaryFile: Sendable {
  package let path: String

  package init(_ contents: Data) throws {
    path = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try contents.write(to: URL(filePath: path))
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The kinds of request bodies.
package enum BodyKind: String, CaseIterable {
  case bytes, file
  case stream = "a sequence of known length"
  case chunked = "a sequence of unknown length"

  package static let streamed: [BodyKind] = [.file, .stream, .chunked]

  package var needs: Capabilities { self == .bytes ? [] : .streamedUpload }

  /// Runs `use` with a body of that kind with these bytes.
  package func with<Result>(_ data: Data, _ use: (Body) async throws -> Result) async throws -> Result {
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

/// An async sequence that yields one piece, then stalls until it is cancelled. The gates open when its iteration starts, and when
/// its iterator is released.
package struct StalledSource: AsyncSequence, Sendable {
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
