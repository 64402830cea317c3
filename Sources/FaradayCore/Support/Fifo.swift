/// A FIFO queue: `append` and `popFirst` take amortized constant time.
// Public, because the compiler does not specialize generic code with package access in other modules, even if it is inlinable.
// Unspecialized code is many times slower.
@_spi(Adapters) public struct Fifo<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable public init() {}

  @inlinable public var isEmpty: Bool { head == elements.count }
  @inlinable public var count: Int { elements.count - head }
  @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable public mutating func append(_ element: Element) { elements.append(element) }

  @inlinable public mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      elements[head] = nil
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head > 64 && head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }

  @inlinable public mutating func replaceFirst(_ element: Element) {
    if !isEmpty { elements[head] = element }
  }

  /// The index of the first match among the first `count` elements, for ``remove(at:)``.
  @inlinable public func firstIndex(ofFirst count: Int, where matches: (Element) -> Bool) -> Int? {
    elements[head...].prefix(count).firstIndex { $0.map(matches) ?? false }
  }

  /// The index of the first element that matches, in a queue in which all elements after it match too; the end if there is none.
  /// Takes logarithmic time.
  @inlinable public func partitioningIndex(where matches: (Element) -> Bool) -> Int {
    var (low, high) = (head, elements.count)
    while low < high {
      let middle = low + (high - low) / 2
      if elements[middle].map(matches) ?? false { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The element at an index; nil at the end.
  @inlinable public subscript(index: Int) -> Element? { elements.indices.contains(index) ? elements[index] : nil }

  /// Inserts an element before the one at the index. The elements behind it are moved in memory.
  @inlinable public mutating func insert(_ element: Element, at index: Int) { elements.insert(element, at: index) }

  /// Removes an element by its index. The elements behind it are moved in memory.
  @inlinable public mutating func remove(at index: Int) -> Element? { index == head ? popFirst() : elements.remove(at: index) }

  @inlinable public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map { !isUnwanted($0) } ?? false }
    head = 0
  }
}
