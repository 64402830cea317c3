import Synchronization

/// So many tasks at once, each with its share of the requests, one after the other. Returns the sum of what each returned, and
/// the latencies.
public func many(_ arguments: Arguments, _ one: @escaping @Sendable () async throws -> Int) async throws -> Outcome {
  let left = Budget(arguments.requests)
  return try await withThrowingTaskGroup(of: (bytes: Int, latencies: [Duration]).self) { group in
    for _ in 0..<min(arguments.concurrency, arguments.requests) {
      group.addTask {
        let clock = ContinuousClock()
        var bytes = 0
        var latencies: [Duration] = []
        while left.take() {
          let start = clock.now
          bytes += try await one()
          latencies.append(start.duration(to: clock.now))
        }
        return (bytes, latencies)
      }
    }
    return try await group.reduce(into: Outcome(bytes: 0)) { sum, share in
      sum.bytes += share.bytes
      sum.latencies += share.latencies
    }
  }
}

/// How many requests are left to do.
private final class Budget: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func take() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}

/// What a chunk callback counts. One transfer's callbacks are never called at the same time.
public final class Sum: Sendable {
  private let count = Atomic<Int>(0)
  private let firsts = Atomic<UInt8>(0)

  public init() {}

  @inline(__always)
  public func add(_ bytes: Int, first: UInt8) {
    count.wrappingAdd(bytes, ordering: .relaxed)
    firsts.store(first, ordering: .relaxed)
  }
  public var bytes: Int { count.load(ordering: .relaxed) }
}

/// A body of that many bytes, all pieces the same 256 KiB.
public struct Repeating<Piece: Sendable>: AsyncSequence, Sendable {
  let bytes: Int
  let piece: Piece
  let first: @Sendable (Piece, Int) -> Piece

  /// - Parameter first: the first bytes of a piece.
  public init(bytes: Int, piece: Piece, first: @escaping @Sendable (Piece, Int) -> Piece) {
    (self.bytes, self.piece, self.first) = (bytes, piece, first)
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var left: Int
    let piece: Piece
    let first: @Sendable (Piece, Int) -> Piece

    public mutating func next() async -> Piece? {
      guard left > 0 else { return nil }
      let size = Swift.min(left, pieceSize)
      left -= size
      return size == pieceSize ? piece : first(piece, size)
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: bytes, piece: piece, first: first) }
}

/// The size of the pieces of an upload from a sequence.
public let pieceSize = 256 << 10

/// What is sent and read as JSON: an order of a few lines.
public struct Order: Codable, Sendable {
  public struct Line: Codable, Sendable {
    public let article: String
    public let count: Int
    public let price: Double
  }
  public let id: Int
  public let customer: String
  public let isPaid: Bool
  public let lines: [Line]

  public static let example = Order(
    id: 4711, customer: "Ada Lovelace", isPaid: true,
    lines: (1...8).map { Line(article: "article \($0)", count: $0, price: Double($0) * 2.5) })
}
