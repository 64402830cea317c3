internal import FaradayCore

/// The encoded form of a value, as a tree in declaration order, from which the names of query and form items are derived.
final class ValueTree {
  enum Leaf {
    case null
    case bool(Bool)
    case text(String)
    case data(Data)
    case file(FormFile)
  }

  /// The kind of the last encoded value; `nothing` before the first one.
  enum Kind { case nothing, leaf(Leaf), list, members }

  var kind = Kind.nothing
  private(set) var list: [ValueTree] = []
  private var members: [(key: any CodingKey, value: ValueTree)] = []
  private var places: [String: Int] = [:]

  func append() -> ValueTree {
    list.append(ValueTree())
    return list[list.count - 1]
  }

  /// The member for the key. A key that is encoded twice has its last value at its first position.
  func member(_ key: any CodingKey) -> ValueTree {
    if let place = places[key.stringValue] { return members[place].value }
    places[key.stringValue] = members.count
    members.append((key, ValueTree()))
    return members[members.count - 1].value
  }

  /// Forgets the encoded value.
  func clear() { (kind, list, members, places) = (.nothing, [], [], [:]) }

  /// Calls `use` with each leaf and its coding path, in order.
  func forEachLeaf(at path: [any CodingKey] = [], _ use: (Leaf, [any CodingKey]) throws -> Void) rethrows {
    switch kind {
    case .nothing: break
    case .leaf(let leaf): try use(leaf, path)
    case .list:
      for (index, tree) in list.enumerated() { try tree.forEachLeaf(at: path + [IndexKey(index)], use) }
    case .members:
      for (key, tree) in members { try tree.forEachLeaf(at: path + [key], use) }
    }
  }
}

/// The coding key of an array element.
struct IndexKey: CodingKey {
  let index: Int
  init(_ index: Int) { self.index = index }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { index = intValue }
  var stringValue: String { "\(index)" }
  var intValue: Int? { index }
}
