/// A stack that moves out several top elements at once, without copying or reference counting.
struct MovingStack<Element>: ~Copyable {
  private(set) var count = 0
  // The first `count` elements are initialised. The pointer is not shared.
  private var storage = UnsafeMutableBufferPointer<Element>.allocate(capacity: 0)

  deinit {
    storage[..<count].deinitialize()
    storage.deallocate()
  }

  @inline(__always)
  mutating func push(_ element: consuming Element) {
    if count == storage.count { grow() }
    storage.initializeElement(at: count, to: element)
    count += 1
  }

  func contains(from start: Int, where predicate: (Element) -> Bool) -> Bool { storage[start..<count].contains(where: predicate) }

  /// Removes and returns the last element. Precondition: not empty.
  @inline(__always)
  mutating func pop() -> Element {
    count -= 1
    return storage.moveElement(from: count)
  }

  /// Removes and returns the elements from the index on, in the order they were pushed.
  @inline(__always)
  mutating func popAll(from start: Int) -> [Element] {
    let end = count
    count = start
    var popped: [Element] = []
    popped.reserveCapacity(end - start)
    for index in start..<end { popped.append(storage.moveElement(from: index)) }
    return popped
  }

  /// Removes the elements of the other stack from the index on, and the same number of elements from this stack, and returns
  /// them in pairs.
  @inline(__always)
  mutating func popAll<Other, Pair>(
    pairedWith others: inout MovingStack<Other>, from start: Int, _ pair: (consuming Element, consuming Other) -> Pair
  ) -> [Pair] {
    let pairs = others.count - start
    count -= pairs
    others.count = start
    var popped: [Pair] = []
    popped.reserveCapacity(pairs)
    for index in 0..<pairs {
      popped.append(pair(storage.moveElement(from: count + index), others.storage.moveElement(from: start + index)))
    }
    return popped
  }

  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: Swift.max(16, storage.count * 2))
    _ = larger.moveInitialize(fromContentsOf: storage[..<count])
    storage.deallocate()
    storage = larger
  }
}
