/// A dictionary with a maximum size: beyond it, the quarter of entries that was used the longest time ago is removed. An access
/// takes amortized logarithmic time.
struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var entries: [Key: (value: Value, use: Int)] = [:]
  private var uses = 0
  private let capacity: Int

  /// - Parameter capacity: the maximum number of entries, at least 4.
  init(capacity: Int) { self.capacity = max(4, capacity) }

  var count: Int { entries.count }

  /// Reads or writes a value; both count as a use.
  subscript(key: Key) -> Value? {
    mutating get {
      uses += 1
      entries[key]?.use = uses
      return entries[key]?.value
    }
    set {
      uses += 1
      entries[key] = newValue.map { ($0, uses) }
      guard entries.count > capacity else { return }
      let oldest = entries.sorted { $0.value.use < $1.value.use }.prefix(capacity / 4)
      for entry in oldest { entries[entry.key] = nil }
    }
  }
}
