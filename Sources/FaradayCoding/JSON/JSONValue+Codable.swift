/// Decoding and encoding by any coder, which takes guesses and more stack: a decoder does not say of what type a value is, and
/// calls itself for what is in it.
///
/// So it is many times slower than ``init(data:maximumDepth:)``, a number has the digits that an `Int64`, `UInt64` or `Double`
/// leaves it, members have the order of the coder's, and 64 levels are as deep as it goes: what is deeper is an error.
/// `response.decode(JSONValue.self)` and whatever else of this package reads or writes a `JSONValue` by itself do not come here.
extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.maximumCodedDepth else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "it is more than \(Self.maximumCodedDepth) levels deep"))
    }
    // A guess that is wrong costs an error, which is dear: the most frequent come first.
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let number = try? JSONNumber(from: decoder) {
      self = .number(number)
    } else if let container = try? decoder.container(keyedBy: JSONKey.self) {
      var object = JSONObject()
      for key in container.allKeys { object[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
      self = .object(object)
    } else {
      var container = try decoder.unkeyedContainer()
      var array: [JSONValue] = []
      while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
      self = .array(array)
    }
  }

  /// Encodes it by any encoder; more than 64 levels are an `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    guard encoder.codingPath.count <= Self.maximumCodedDepth else {
      throw EncodingError.invalid(JSONValue.self, at: [], "it is more than \(Self.maximumCodedDepth) levels deep")
    }
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .number(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value): try value.encode(to: encoder)
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .object(let object):
      var container = encoder.container(keyedBy: JSONKey.self)
      for (key, value) in object { try container.encode(value, forKey: JSONKey(stringValue: key)) }
    }
  }

  /// What a coder needs for each level is its own affair, and some kilobytes.
  private static let maximumCodedDepth = 64
}

extension JSONNumber: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(UInt64.self) {
      self.init(value)
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  /// As an `Int64`, a `UInt64` or else a `Double`, as a coder has no other numbers in common with all others.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value = int64 {
      try container.encode(value)
    } else if let value = uint64 {
      try container.encode(value)
    } else if let value = double {
      try container.encode(value)
    } else {
      throw EncodingError.invalid(JSONNumber.self, at: encoder.codingPath, "the number is too large for a Double")
    }
  }
}

/// The name of a member.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
