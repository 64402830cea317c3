import FaradayTesting
import Testing

@testable import FaradayCore

@Suite struct LeastRecentlyUsedTests {
  @Test func `over the capacity, the least recently used entry is evicted`() {
    var entries = LeastRecentlyUsed<String, Int>(capacity: 2)
    (entries["a"], entries["b"]) = (1, 2)
    #expect(entries["a"] == 1)
    entries["c"] = 3
    #expect(entries.elements.map(\.key) == ["a", "c"] && entries["b"] == nil)
    #expect(entries.peek("a") == 1)
    entries["d"] = 4
    #expect(entries.elements.map(\.key) == ["c", "d"])
  }

  @Test func `a value over the maximum size is not stored, evicts no other, and removes its predecessor`() {
    var entries = LeastRecentlyUsed<String, Int>(maximumSize: 10)
    #expect(entries.insert(1, for: "a", size: 6).isEmpty && entries.insert(2, for: "b", size: 4).isEmpty)
    #expect(entries.insert(3, for: "c", size: 11).isEmpty && entries.count == 2)
    #expect(entries.insert(4, for: "b", size: .max) == [2] && entries.size == 6)
    #expect(entries.insert(5, for: "d", size: 5) == [1] && entries.size == 5)
  }

  @Test func `nothing is stored without capacity`() {
    var entries = LeastRecentlyUsed<String, Int>(capacity: 0)
    entries["a"] = 1
    #expect(entries.count == 0 && entries["a"] == nil)
  }

  @Test(arguments: 0..<8)
  func `random operations have the same result as a list in the order of use`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var entries = LeastRecentlyUsed<Int, Int>(capacity: 6, maximumSize: 20)
    var model: [(key: Int, value: Int, size: Int)] = []
    for step in 0..<400 {
      let key = Int.random(in: 0..<10, using: &random)
      let known = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<6, using: &random) {
      case 0...1:
        let size = Int.random(in: 0..<25, using: &random)
        entries.insert(step, for: key, size: size)
        if let known { model.remove(at: known) }
        guard size <= 20 else { break }
        while model.count >= 6 || model.reduce(size, { $0 + $1.size }) > 20 { model.removeFirst() }
        model.append((key, step, size))
      case 2:
        #expect(entries[key] == known.map { model[$0].value })
        if let known { model.append(model.remove(at: known)) }
      case 3:
        #expect(entries.remove(key) == known.map { model.remove(at: $0).value })
      case 4:
        entries.update(key) { $0 += 1000 }
        if let known { model[known].value += 1000 }
      default:
        let limit = Int.random(in: 0..<2000, using: &random)
        entries.removeAll { $0 % 100 == limit % 100 }
        model.removeAll { $0.value % 100 == limit % 100 }
      }
      #expect(entries.elements.map(\.key) == model.map(\.key) && entries.elements.map(\.value) == model.map(\.value))
      #expect(entries.count == model.count && entries.size == model.reduce(0) { $0 + $1.size })
    }
  }
}
