@_spi(Adapters) internal import FaradayCore

/// A priority queue of waiters: the highest priority first; of equal priorities the lowest number. Removing the first takes constant
/// time. Adding and removing need a logarithmic number of comparisons, and move the waiters behind the place in memory.
struct WaitingLine<Waiter> {
  private var line = Fifo<(position: WaitingPosition, waiter: Waiter)>()

  var count: Int { line.count }
  var isEmpty: Bool { line.isEmpty }

  /// The position of the next waiter.
  var first: WaitingPosition? { line.first?.position }

  mutating func add(_ waiter: Waiter, at position: WaitingPosition) {
    line.insert((position, waiter), at: line.partitioningIndex { position < $0.position })
  }

  mutating func popFirst() -> Waiter? { line.popFirst()?.waiter }

  mutating func remove(_ position: WaitingPosition) -> Waiter? {
    let index = line.partitioningIndex { position <= $0.position }
    guard line[index]?.position == position else { return nil }
    return line.remove(at: index)?.waiter
  }
}

/// The position of a waiter in a ``WaitingLine``.
struct WaitingPosition: Sendable, Comparable {
  let priority: RequestPriority
  let number: Int

  /// Whether the left waiter is served first.
  static func < (left: Self, right: Self) -> Bool {
    left.priority == right.priority ? left.number < right.number : left.priority > right.priority
  }
}
