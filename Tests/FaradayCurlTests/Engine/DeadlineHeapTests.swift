@testable import FaradayCurl
import Testing

@Suite struct DeadlineHeapTests {
  private final class Item: HasDeadline {
    var deadline: Int64
    var deadlineIndex = -1
    init(_ deadline: Int64) { self.deadline = deadline }
  }

  @Test(arguments: 0..<20)
  func `the earliest deadline is first after any moves and removals`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var heap = DeadlineHeap<Item>()
    var items: [Item] = []
    for _ in 0..<500 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let item = Item(.random(in: 0..<1000, using: &random))
        items.append(item)
        heap.update(item)
      case 2:
        guard let item = items.randomElement(using: &random) else { continue }
        item.deadline = .random(in: 0..<1000, using: &random)
        heap.update(item)
      default:
        guard let index = items.indices.randomElement(using: &random) else { continue }
        heap.remove(items.remove(at: index))
      }
      #expect(heap.first?.deadline == items.map(\.deadline).min())
    }
  }

  /// The item that replaces the removed one comes from another branch, and can be due before its new parents.
  @Test func `the remaining deadlines stay in order after a removal from the middle`() {
    var heap = DeadlineHeap<Item>()
    let items = [10, 6, 2, 1, 3, 5, 9, 8, 7, 4].map { Item($0) }
    for item in items { heap.update(item) }
    heap.remove(items[1])
    var order: [Int64] = []
    while let first = heap.first {
      order.append(first.deadline)
      heap.remove(first)
    }
    #expect(order == [1, 2, 3, 4, 5, 7, 8, 9, 10])
  }

  @Test func `removing an absent deadline changes nothing`() {
    var heap = DeadlineHeap<Item>()
    heap.remove(Item(1))
    let item = Item(2)
    heap.update(item)
    heap.remove(item)
    heap.remove(item)
    #expect(heap.first == nil)
  }
}

/// A small generator with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
