/// A FIFO queue: `append` and `popFirst` take amortized constant time.
package struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == elements.count }
  package var count: Int { elements.count - head }
  package var first: Element? { isEmpty ? nil : elements[head] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
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

  package mutating func replaceFirst(_ element: Element) {
    if !isEmpty { elements[head] = element }
  }

  /// The index of the first element that matches, among so many, for ``remove(at:)``.
  package func firstIndex(ofFirst count: Int, where matches: (Element) -> Bool) -> Int? {
    elements[head...].prefix(count).firstIndex { $0.map(matches) ?? false }
  }

  /// Removes an element by its index. Takes linear time.
  package mutating func remove(at index: Int) -> Element? { elements.remove(at: index) }

  package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map { !isUnwanted($0) } ?? false }
    head = 0
  }
}
