/// An element of a ``DeadlineHeap``.
protocol HasDeadline: AnyObject {
  /// The deadline, in nanoseconds of ``Clock``.
  var deadline: Int64 { get }
  /// The element's index in the heap; -1 if it is not in a heap. Set by the heap only.
  var deadlineIndex: Int { get set }
}

/// A binary heap (priority queue) with the earliest deadline first. Moving and removing an element take logarithmic time.
struct DeadlineHeap<Item: HasDeadline> {
  private var items: [Item] = []

  var first: Item? { items.first }

  /// Inserts the item, or moves it after its deadline has changed.
  mutating func update(_ item: Item) {
    if item.deadlineIndex < 0 {
      item.deadlineIndex = items.count
      items.append(item)
    }
    up(item.deadlineIndex)
    down(item.deadlineIndex)
  }

  mutating func remove(_ item: Item) {
    let index = item.deadlineIndex
    guard index >= 0 else { return }
    let last = items.removeLast()
    item.deadlineIndex = -1
    guard index < items.count else { return }
    items[index] = last
    last.deadlineIndex = index
    up(index)
    down(last.deadlineIndex)
  }

  private mutating func up(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard items[index].deadline < items[parent].deadline else { return }
      swap(index, parent)
      index = parent
    }
  }

  private mutating func down(_ start: Int) {
    var index = start
    while 2 * index + 1 < items.count {
      let (left, right) = (2 * index + 1, 2 * index + 2)
      let child = right < items.count && items[right].deadline < items[left].deadline ? right : left
      guard items[child].deadline < items[index].deadline else { return }
      swap(index, child)
      index = child
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    items.swapAt(a, b)
    items[a].deadlineIndex = a
    items[b].deadlineIndex = b
  }
}
