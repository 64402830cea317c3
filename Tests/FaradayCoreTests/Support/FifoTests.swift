import FaradayTesting
import Testing

@testable @_spi(Adapters) import FaradayCore

@Suite struct FifoTests {
  @Test func `a place in a sorted queue is found with few comparisons`() {
    var queue = Fifo<Int>()
    var comparisons = 0
    for number in 0..<10_000 {
      // Each element belongs before all others, as a request of a higher priority does.
      let index = queue.partitioningIndex {
        comparisons += 1
        return -number < $0
      }
      queue.insert(-number, at: index)
    }
    #expect(comparisons < 10_000 * 15)
    #expect(queue.first == -9999 && queue.count == 10_000)
  }

  @Test(arguments: 0..<8)
  func `random operations have the same result as on an array`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = Fifo<Int>()
    var model: [Int] = []
    // The first indices become unused when elements are taken.
    for step in 0..<1000 {
      let element = Int.random(in: 0..<10_000, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0...3:
        queue.insert(element, at: queue.partitioningIndex { element < $0 })
        model.insert(element, at: model.firstIndex { element < $0 } ?? model.count)
      case 4...5 where step > 300:
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      default:
        let index = queue.partitioningIndex { element <= $0 }
        let other = model.firstIndex { element <= $0 }
        #expect(queue[index] == other.map { model[$0] })
        if let other { #expect(queue.remove(at: index) == model.remove(at: other)) }
      }
      #expect(queue.first == model.first && queue.count == model.count && queue.isEmpty == model.isEmpty)
    }
    for element in model { #expect(queue.popFirst() == element) }
    #expect(queue.popFirst() == nil)
  }
}
