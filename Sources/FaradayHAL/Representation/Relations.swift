/// What a representation has under each relation: one link or embedded representation, or a list of them.
///
/// HAL tells one from a list of one: what came as a list stays one. Relations keep the order they were put in. Two are equal
/// if they have the same under each relation.
public struct Relations<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The relations, as they are written, in order.
  public private(set) var rels: [String] = []
  private var members: [String: Member] = [:]

  private struct Member: Sendable, Hashable {
    var values: [Value]
    var isList: Bool
  }

  init() {}

  public var isEmpty: Bool { rels.isEmpty }

  /// What is under a relation as it is written; nothing if it is not there.
  public subscript(rel: String) -> [Value] { members[rel]?.values ?? [] }

  /// Whether it is a list, of however many.
  public func isList(_ rel: String) -> Bool { members[rel]?.isList ?? false }

  /// A second one makes a list.
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
