/// The features of an adapter. A request that needs a missing capability throws ``TransportError/Code/unsupported``, which
/// names the capability.
///
/// A set of names, with the operations of a set: `[.http2, .customCA]`, `capabilities.contains(.http2)`. A capability is a set
/// of one name. An adapter can define additional capabilities:
///
///     extension Capabilities {
///       static let priorities = Capabilities("example.priorities")
///     }
public struct Capabilities: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
  private var members: Set<String> = []

  /// No capabilities.
  public init() {}

  /// The capability with this name. A name of another package contains a dot, so that it differs from the names of this
  /// package.
  public init(_ name: String) { members = [name] }

  public init(arrayLiteral elements: Capabilities...) {
    for element in elements { members.formUnion(element.members) }
  }

  private init(_ members: Set<String>) { self.members = members }

  /// The names: first the names of `entries` in their order, then all others alphabetically.
  public var names: [String] {
    let known = Self.entries.filter { contains($0.capability) }.map(\.name)
    return known + members.subtracting(known).sorted()
  }

  public var description: String { "[\(names.joined(separator: ", "))]" }

  // MARK: operations of a set

  /// Whether the set contains no capability.
  public var isEmpty: Bool { members.isEmpty }

  /// Whether all capabilities of the other set are in this one.
  public func contains(_ other: Capabilities) -> Bool { other.members.isSubset(of: members) }

  /// The capabilities of both sets.
  public func union(_ other: Capabilities) -> Capabilities { Capabilities(members.union(other.members)) }

  /// The capabilities that are in both sets.
  public func intersection(_ other: Capabilities) -> Capabilities { Capabilities(members.intersection(other.members)) }

  /// The capabilities of this set that are not in the other.
  public func subtracting(_ other: Capabilities) -> Capabilities { Capabilities(members.subtracting(other.members)) }

  /// Adds capabilities.
  public mutating func insert(_ new: Capabilities) { members.formUnion(new.members) }

  /// Removes capabilities.
  public mutating func remove(_ old: Capabilities) { members.subtract(old.members) }
}

extension Capabilities {
  /// A capability with its name and meaning, for tables.
  @_spi(Adapters) public struct Entry: Sendable {
    /// The name of its static member.
    public let name: String
    /// The capability.
    public let capability: Capabilities
    /// A short description.
    public let meaning: String
  }

  /// All capabilities of this package, in the order of a table.
  @_spi(Adapters) public static let entries: [Entry] = TransportOption.capabilities.map { capability in
    Entry(name: capability.members.first ?? "", capability: capability, meaning: TransportOption.meaning(of: capability))
  }

  /// All capabilities of this package; an adapter of another package may have more.
  public static let all = TransportOption.capabilities.reduce(into: Capabilities()) { $0.insert($1) }
}
