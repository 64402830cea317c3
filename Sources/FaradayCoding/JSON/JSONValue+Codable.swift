/// `Codable`, for use within other types and with any coder.
///
/// This conformance is recursive, and many times slower than ``init(data:maximumDepth:rejectsDuplicateNames:)``, because a
/// decoder does not report the type of a value. A number keeps the precision of an `Int64`, `UInt64` or `Double`, decoded members
/// have the order of their names, and nesting deeper than 64 levels is an error. Members keep their names whatever the key
/// strategy of `JSONDecoder` and `JSONEncoder` is, as in a dictionary. `response.decode(JSONValue.self)`, and all other code
/// in this package that reads or writes a plain `JSONValue`, uses the package's parser and writer instead.
extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.maximumCodedDepth else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "nested deeper than the limit of \(Self.maximumCodedDepth)"))
    }
    // A wrong guess costs an error, which is expensive. The most frequent types come first.
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let number = try JSONNumber(ifNumber: decoder) {
      self = .number(number)
    } else if (try? decoder.container(keyedBy: JSONKey.self)) != nil {
      // As a dictionary, because `JSONDecoder` applies its key strategy to the keys of every keyed container.
      let members = try single.decode([String: JSONValue].self)
      self = .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    } else {
      var container = try decoder.unkeyedContainer()
      var array: [JSONValue] = []
      while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
      self = .array(array)
    }
  }

  /// Throws an `EncodingError` for nesting deeper than 64 levels.
  public func encode(to encoder: any Encoder) throws {
    guard encoder.codingPath.count <= Self.maximumCodedDepth else {
      throw EncodingError.invalid(JSONValue.self, at: [], "nested deeper than the limit of \(Self.maximumCodedDepth)")
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
    case .object(let object) where encoder is TreeEncoder:
      // In the order of the members.
      var container = encoder.container(keyedBy: JSONKey.self)
      for (key, value) in object { try container.encode(value, forKey: JSONKey(stringValue: key)) }
    case .object(let object):
      var container = encoder.singleValueContainer()
      try container.encode(Dictionary(object.map { ($0.key, $0.value) }) { first, _ in first })
    }
  }

  /// A coder needs some kilobytes of stack for each level.
  private static let maximumCodedDepth = 64
}

extension JSONNumber: Codable {
  /// Decodes an `Int64`, a `UInt64` or else a `Double`. Throws a `DecodingError` for a number that a `Double` cannot represent,
  /// such as `1e400`, and for a value of another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(UInt64.self) {
      self.init(value)
    } else {
      do {
        self.init(try container.decode(Double.self))
      } catch let error as DecodingError {
        throw error
      } catch {
        // Foundation's error quotes the number.
        throw DecodingError.invalid(at: decoder.codingPath, "is a number that a Double cannot represent")
      }
    }
  }

  /// Decodes a number; nil if the value has another type.
  fileprivate init?(ifNumber decoder: any Decoder) throws {
    do { try self.init(from: decoder) } catch DecodingError.typeMismatch { return nil }
  }

  /// Encodes an `Int64`, a `UInt64` or else a `Double`: the number types of all coders.
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

/// The coding key of a member.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
