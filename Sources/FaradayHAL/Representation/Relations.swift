/// The links or embedded representations by relation: each relation has one value or an array of values.
///
/// HAL distinguishes one value from an array of one: an array stays an array. Relations keep their order; equality ignores it.
public struct Relations<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The relations as written in the document, in order.
  public private(set) var rels: [String] = []
  private var members: [String: Member] = [:]

  private struct Member: Sendable, Hashable {
    var values: [Value]
    var isList: Bool
  }

  init() {}

  /// Whether there are no relations.
  public var isEmpty: Bool { rels.isEmpty }

  /// The values of a relation as written in the document; empty if there are none.
  public subscript(rel: String) -> [Value] { members[rel]?.values ?? [] }

  /// Whether the values of the relation are an array, of any length.
  public func isList(_ rel: String) -> Bool { members[rel]?.isList ?? false }

  /// Appends a value; a second value creates an array.
  mutating func add(_ value: Value, to rel: String) {
    guard members[rel] != nil else { return set([value], for: rel, isList: false) }
    members[rel]?.values.append(value)
    if self[rel].count > 1 { members[rel]?.isList = true }
  }

  mutating func set(_ values: [Value], for rel: String, isList: Bool) {
    if members[rel] == nil { rels.append(rel) }
    members[rel] = Member(values: values, isList: isList)
  }

  mutating func remove(_ rel: String) {
    rels.removeAll { $0 == rel }
    members[rel] = nil
  }

  public static func == (left: Relations, right: Relations) -> Bool { left.members == right.members }
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Relations: Sequence {
  public func makeIterator() -> some IteratorProtocol<(rel: String, values: [Value])> {
    rels.lazy.map { (rel: $0, values: self[$0]) }.makeIterator()
  }
}
