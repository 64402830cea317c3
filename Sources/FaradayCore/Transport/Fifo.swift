/// A queue: appending and taking the first are constant time. Inlinable, because it is in the path of every request.
package struct Fifo<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { head == elements.count }
  @inlinable package var count: Int { elements.count - head }
  @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  @inlinable package mutating func popFirst() -> Element? {
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

  @inlinable package mutating func replaceFirst(_ element: Element) {
    if !isEmpty { elements[head] = element }
  }

  @inlinable package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map { !isUnwanted($0) } ?? false }
    head = 0
  }
}
