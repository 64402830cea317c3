internal import Synchronization

/// An ordered, thread-safe dictionary of closures.
final class ProvidedValues<Value: Sendable>: Sendable {
  typealias Provider = @Sendable () throws -> Value?

  private let list = Mutex<[(name: String, provider: Provider)]>([])

  /// Replaces the closure of the same name, or appends one.
  func add(_ name: String, _ provider: @escaping Provider, isSame: (String) -> Bool) {
    list.withLock { list in
      let place = list.firstIndex { isSame($0.name) } ?? list.endIndex
      list.replaceSubrange(place..<min(place + 1, list.endIndex), with: [(name, provider)])
    }
  }

  func remove(where isSame: (String) -> Bool) {
    list.withLock { list in list.removeAll { isSame($0.name) } }
  }

  /// What the closures return now, without nil. No lock is held while they are called: they may add and remove.
  var values: [(String, Value)] {
    get throws {
      try list.withLock { $0 }.compactMap { name, provider in try provider().map { (name, $0) } }
    }
  }
}
