internal import FaradayCore

/// An `Encoder` that builds a ``ValueTree``.
struct TreeEncoder: Encoder {
  let tree: ValueTree
  let codingPath: [any CodingKey]
  let strategies: FormStrategies
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes a value as a tree. Throws an `EncodingError` unless the value is keyed or encodes nothing.
  static func members(of value: any Encodable, _ strategies: FormStrategies) throws -> ValueTree {
    let encoder = TreeEncoder(tree: ValueTree(), codingPath: [], strategies: strategies)
    try encoder.encode(value)
    switch encoder.tree.kind {
    case .nothing, .members: return encoder.tree
    case .leaf, .list:
      throw EncodingError.invalid(value, at: [], "a \(type(of: value)) has no named members, which a query or a form needs")
    }
  }

  /// Encodes special types directly, and other types by their own `encode(to:)`.
  func encode(_ value: any Encodable) throws {
    guard codingPath.count <= Self.maximumDepth else {
      throw EncodingError.invalid(type(of: value), at: [], "the value is nested deeper than the limit of \(Self.maximumDepth)")
    }
    switch value {
    case let value as FormFile: tree.kind = .leaf(.file(value))
    case let value as URL: text(value.absoluteString)
    case let value as Decimal:
      guard value.isFinite else { throw notFinite(value) }
      text("\(value)")
    case let value as JSONNumber: try number(value)
    case let value as Data: try encode(value)
    case let value as Date: try encode(value)
    default: try value.encode(to: self)
    }
  }

  /// A limit, because a value that contains itself would recurse forever. Each level takes some kilobytes of stack, and a
  /// thread may have 512 KiB.
  private static let maximumDepth = 64

  func text(_ text: String) { tree.kind = .leaf(.text(text)) }

  func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ number: Number) throws {
    guard number.isFinite else { throw notFinite(number) }
    text(number.description)
  }

  private func number(_ number: JSONNumber) throws {
    guard number.isFinite else { throw notFinite(number) }
    text(number.literal)
  }

  private func notFinite(_ number: Any) -> EncodingError {
    EncodingError.invalid(number, at: codingPath, "\(number) is not a finite number")
  }

  private func encode(_ data: Data) throws {
    switch strategies.data {
    case .raw: tree.kind = .leaf(.data(data))
    case .base64: text(data.base64EncodedString())
    case .custom(let convert): text(try convert(data))
    }
  }

  private func encode(_ date: Date) throws {
    switch strategies.date {
    case .deferredToDate: try date.encode(to: self)
    case .secondsSince1970: text("\(Int64(clamping: date.timeIntervalSince1970))")
    case .millisecondsSince1970: text("\(Int64(clamping: date.timeIntervalSince1970 * 1000))")
    case .iso8601:
      let seconds = date.timeIntervalSince1970
      // The range of four-digit years. For other years, Foundation would use the nearest valid year, or trap.
      guard (-62_167_219_200..<253_402_300_800).contains(seconds) else {
        throw EncodingError.invalid(seconds, at: codingPath, "the date is not within the years 0 to 9999")
      }
      text(date.formatted(.iso8601))
    case .custom(let convert): text(try convert(date))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    tree.kind = .members
    return KeyedEncodingContainer(KeyedTree(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    tree.kind = .list
    return UnkeyedTree(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleTree(encoder: self) }

  fileprivate func inside(_ tree: ValueTree, _ key: any CodingKey) -> TreeEncoder {
    TreeEncoder(tree: tree, codingPath: codingPath + [key], strategies: strategies)
  }

  fileprivate func member(_ key: any CodingKey) -> TreeEncoder { inside(tree.member(key), key) }

  fileprivate var count: Int { tree.list.count }

  fileprivate func element() -> TreeEncoder {
    let key = IndexKey(count)
    return inside(tree.append(), key)
  }
}

private struct KeyedTree<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.member(key).tree.kind = .leaf(.null) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let member = encoder.member(key)
    // A second value replaces the first.
    member.tree.clear()
    try member.encode(value)
  }
  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
    encoder.member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.member(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder.member(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

private struct UnkeyedTree: UnkeyedEncodingContainer {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  func encodeNil() { encoder.element().tree.kind = .leaf(.null) }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.element().encode(value) }
  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
    encoder.element().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder.element() }
}

private struct SingleTree: SingleValueEncodingContainer {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.tree.kind = .leaf(.null) }
  func encode(_ value: Bool) { encoder.tree.kind = .leaf(.bool(value)) }
  func encode(_ value: String) { encoder.text(value) }
  func encode(_ value: Double) throws { try encoder.number(value) }
  func encode(_ value: Float) throws { try encoder.number(value) }
  func encode(_ value: Int) { encoder.text(value.description) }
  func encode(_ value: Int8) { encoder.text(value.description) }
  func encode(_ value: Int16) { encoder.text(value.description) }
  func encode(_ value: Int32) { encoder.text(value.description) }
  func encode(_ value: Int64) { encoder.text(value.description) }
  func encode(_ value: UInt) { encoder.text(value.description) }
  func encode(_ value: UInt8) { encoder.text(value.description) }
  func encode(_ value: UInt16) { encoder.text(value.description) }
  func encode(_ value: UInt32) { encoder.text(value.description) }
  func encode(_ value: UInt64) { encoder.text(value.description) }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}

private struct SuperKey: CodingKey {
  let stringValue = "super"
  let intValue: Int? = nil
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}

extension Int64 {
  /// Clamps to the range of `Int64`; NaN is 0.
  fileprivate init(clamping number: Double) {
    self = number.isNaN ? 0 : Int64(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : .min)
  }
}
