/// The members of a JSON object, in insertion order.
///
/// Names are case-sensitive and compared by their UTF-8 bytes, without Unicode normalization (RFC 8259, section 8.3). Member
/// lookup takes constant time.
public struct JSONObject: Sendable {
  private(set) var members: [Member] = []
  /// An index by name, for objects with many members only.
  private var places: [JSONName: Int]?

  struct Member: Sendable {
    let key: String
    var value: JSONValue
  }

  /// The maximum number of members without an index: linear search is faster for few members.
  static let many = 12

  /// An empty object.
  public init() {}

  /// An object with these members. For duplicate names the last value wins, at the position of the first.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  init(literal members: [(String, (any JSONConvertible)?)]) {
    self.init(members.lazy.map { ($0.0, $0.1?.jsonValue ?? .null) })
  }

  /// An object with parsed members. For duplicate names the first member counts.
  ///
  /// - Parameter repeatsName: whether there is a duplicate name. Ignored above ``many`` members.
  init(reading members: [Member], repeatsName: Bool) {
    guard members.count > Self.many || repeatsName else {
      self.members = members
      return
    }
    self.members.reserveCapacity(members.count)
    for member in members where place(of: member.key) == nil { append(member) }
  }

  /// The names, in order.
  public var keys: [String] { members.map(\.key) }
  /// The number of members.
  public var count: Int { members.count }
  /// Whether the object has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a member; nil if there is no such member. Setting nil removes the member. For a JSON null set
  /// ``JSONValue/null``.
  public subscript(key: String) -> JSONValue? {
    get { place(of: key).map { members[$0].value } }
    set {
      switch (place(of: key), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): remove(at: place)
      case (nil, let value?): append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  private func place(of key: String) -> Int? {
    if let places { return places[JSONName(text: key)] }
    return members.firstIndex { $0.key.hasSameBytes(as: key) }
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    if places != nil {
      places?[JSONName(text: member.key)] = members.count - 1
    } else if members.count > Self.many {
      index()
    }
  }

  private mutating func remove(at place: Int) {
    members.remove(at: place)
    places = nil
    if members.count > Self.many { index() }
  }

  private mutating func index() {
    places = Dictionary(uniqueKeysWithValues: members.enumerated().map { (JSONName(text: $1.key), $0) })
  }
}

/// A name that is compared by its bytes, without Unicode normalization.
struct JSONName: Hashable {
  let text: String

  static func == (left: JSONName, right: JSONName) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    guard text.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil else { return }
    Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension String {
  func hasSameBytes(as other: String) -> Bool {
    // The fast comparison comes first: strings with the same bytes are equal, but equal strings may have different bytes.
    utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
  }
}

extension JSONObject: Sequence {
  /// The members in order.
  public func makeIterator() -> some IteratorProtocol<(key: String, value: JSONValue)> {
    members.lazy.map { (key: $0.key, value: $0.value) }.makeIterator()
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Members whose values are ``JSONConvertible``; nil is null. For duplicate names the last value wins.
  public init(dictionaryLiteral elements: (String, (any JSONConvertible)?)...) { self.init(literal: elements) }
}
