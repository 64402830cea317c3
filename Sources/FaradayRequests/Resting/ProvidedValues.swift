internal import Synchronization

/// An ordered, thread-safe dictionary of closures.
final class ProvidedValues<Value: Sendable>: Sendable {
  typealias Provider = @Sendable () throws -> Value?

  private let list = Mutex<[(name: String, provider: Provider)]>([])

  /// Replaces the closure of equal name, or appends one.
  func set(_ name: String, _ provider: @escaping Provider, isSame: (String) -> Bool) {
    list.withLock { list in
      let place = list.firstIndex { isSame($0.name) } ?? list.endIndex
      list.replaceSubrange(place..<min(place + 1, list.endIndex), with: [(name, provider)])
    }
  }

  func remove(where isSame: (String) -> Bool) {
    list.withLock { list in list.removeAll { isSame($0.name) } }
  }

  /// The current results of the closures, without nil. No lock is held while the closures are called: they can set and remove.
  var values: [(String, Value)] {
    get throws {
      try list.withLock { $0 }.compactMap { name, provider in try provider().map { (name, $0) } }
    }
  }
}
