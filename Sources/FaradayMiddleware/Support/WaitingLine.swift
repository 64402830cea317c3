internal import FaradayCore

/// A priority queue of waiters: the highest priority first, and of equal ones the lowest number. Adding and taking take
/// logarithmic time, removing constant time.
struct WaitingLine<Waiter> {
  /// A binary heap; has also those that were removed.
  private var heap: [WaitingPosition] = []
  private var waiters: [Int: Waiter] = [:]

  var count: Int { waiters.count }
  var isEmpty: Bool { waiters.isEmpty }

  /// The position of the waiter that is served next.
  var first: WaitingPosition? {
    mutating get {
      while let first = heap.first, waiters[first.number] == nil { removeTop() }
      return heap.first
    }
  }

  mutating func add(_ waiter: Waiter, at position: WaitingPosition) {
    waiters[position.number] = waiter
    heap.append(position)
    rise(from: heap.count - 1)
  }

  mutating func popFirst() -> Waiter? {
    guard let first else { return nil }
    removeTop()
    return waiters.removeValue(forKey: first.number)
  }

  mutating func remove(_ number: Int) -> Waiter? {
    let waiter = waiters.removeValue(forKey: number)
    // A sorted array is a heap.
    if heap.count > 2 * waiters.count + 64 { heap = heap.filter { waiters[$0.number] != nil }.sorted() }
    return waiter
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      let children = (2 * index + 1)..<min(2 * index + 3, max(2 * index + 1, heap.count))
      guard let least = children.min(by: { heap[$0] < heap[$1] }), heap[least] < heap[index] else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}

/// Where a waiter of a ``WaitingLine`` stands.
struct WaitingPosition: Sendable, Comparable {
  let priority: RequestPriority
  let number: Int

  /// Whether the left one is served first.
  static func < (left: Self, right: Self) -> Bool {
    left.priority == right.priority ? left.number < right.number : left.priority > right.priority
  }
}
