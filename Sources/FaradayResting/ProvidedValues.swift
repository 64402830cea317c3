internal import Synchronization

/// Closures under names, in the order in which they were added.
final class ProvidedValues<Value: Sendable>: Sendable {
  typealias Provider = @Sendable () throws -> Value?

  private let list = Mutex<[(name: String, provider: Provider)]>([])

  /// Puts a closure in the place of the one whose name is the same, or behind the others.
  func add(_ name: String, _ provider: @escaping Provider, isSame: (String) -> Bool) {
    list.withLock { list in
      let place = list.firstIndex { isSame($0.name) } ?? list.endIndex
      list.replaceSubrange(place..<min(place + 1, list.endIndex), with: [(name, provider)])
    }
  }

  func remove(where isSame: (String) -> Bool) {
    list.withLock { list in list.removeAll { isSame($0.name) } }
  }

  /// What the closures return now, but for nil. They are called without a lock: they may add and remove.
  var values: [(String, Value)] {
    get throws {
      try list.withLock { $0 }.compactMap { name, provider in try provider().map { (name, $0) } }
    }
  }
}
