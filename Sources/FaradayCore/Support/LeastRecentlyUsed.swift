/// A dictionary with a limited number of entries and total size, which evicts the least recently used entry (LRU).
///
/// A hash table, and a doubly linked list in an array. All operations take constant time unless documented otherwise.
package struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Node {
    let key: Key
    var value: Value
    let size: Int
    var newer: Int?
    var older: Int?
  }

  private let capacity: Int
  private let maximumSize: Int
  private var places: [Key: Int] = [:]
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var newest: Int?
  private var oldest: Int?
  /// The sum of the sizes of all entries.
  package private(set) var size = 0

  /// - Parameters:
  ///   - capacity: the maximum number of entries.
  ///   - maximumSize: the maximum of the sum of all sizes.
  package init(capacity: Int = .max, maximumSize: Int = .max) {
    self.capacity = capacity
    self.maximumSize = maximumSize
  }

  package var count: Int { places.count }

  /// All entries, the least recently used first. Takes linear time.
  package var elements: [(key: Key, value: Value)] {
    var elements: [(key: Key, value: Value)] = []
    var place = oldest
    while let node = place.flatMap({ nodes[$0] }) {
      elements.append((node.key, node.value))
      place = node.newer
    }
    return elements
  }

  /// Reads, writes or removes a value of size 0. Reading and writing count as a use.
  package subscript(key: Key) -> Value? {
    mutating get {
      guard let place = places[key] else { return nil }
      if place != newest {
        unlink(place)
        link(place)
      }
      return nodes[place]?.value
    }
    set {
      if let newValue { insert(newValue, for: key) } else { remove(key) }
    }
  }

  /// The value of a key, read without counting as a use.
  package func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

  /// Inserts or replaces a value as the most recently used one, and evicts other values until it fits.
  ///
  /// - Parameter size: not negative. A value that is larger than the maximum is not stored, and evicts no other value.
  /// - Returns: the values that were removed, so that a caller can deallocate them outside its lock.
  @discardableResult
  package mutating func insert(_ value: Value, for key: Key, size: Int = 0) -> [Value] {
    var removed = [remove(key)].compactMap(\.self)
    guard size <= maximumSize, capacity > 0 else { return removed }
    while count >= capacity || self.size > maximumSize - size, let oldest, let key = nodes[oldest]?.key, let value = remove(key) {
      removed.append(value)
    }
    let place = free.popLast() ?? nodes.count
    if place == nodes.count { nodes.append(nil) }
    nodes[place] = Node(key: key, value: value, size: size)
    places[key] = place
    self.size += size
    link(place)
    return removed
  }

  /// Changes the value of a key, if any, without counting as a use.
  package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard let place = places[key], var value = nodes[place]?.value else { return }
    change(&value)
    nodes[place]?.value = value
  }

  /// Removes and returns the value of a key.
  @discardableResult
  package mutating func remove(_ key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
    unlink(place)
    nodes[place] = nil
    free.append(place)
    size -= node.size
    return node.value
  }

  /// Removes all entries whose values match. Takes linear time.
  package mutating func removeAll(where isUnwanted: (Value) -> Bool) {
    for (key, value) in elements where isUnwanted(value) { remove(key) }
  }

  private mutating func link(_ place: Int) {
    nodes[place]?.older = newest
    nodes[place]?.newer = nil
    if let newest { nodes[newest]?.newer = place }
    newest = place
    if oldest == nil { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}
