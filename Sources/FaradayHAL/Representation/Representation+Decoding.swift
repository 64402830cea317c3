internal import FaradayCoding
public import FaradayCore

extension Representation {
  /// The properties as a value of this type.
  ///
  ///     let orders = try page.embedded(for: "ea:order").map { try $0.decode(Order.self) }
  ///
  /// They are written as JSON and read by the decoder; numbers have all their digits there. Throws ``UndecodableProperties`` if they are none.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    do {
      return try decoder.decode(type, from: JSONValue.object(properties).data())
    } catch {
      throw UndecodableProperties(error, decoding: type)
    }
  }

  /// A representation whose properties are a value's, which is an object in JSON. Throws what encoding it throws, and
  /// ``MalformedHAL`` if it is no object.
  public init(encoding value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws {
    try self.init(data: encoder.encode(value))
  }

  /// Reads the bytes of a HAL document. Throws ``FaradayCoding/MalformedJSON`` if they are no JSON, and ``MalformedHAL``.
  public init(data: Data) throws { try self.init(json: JSONValue(data: data)) }
}

/// A representation whose properties are not what was wanted.
public struct UndecodableProperties: FaradayError {
  /// The type that was wanted.
  public let type: String
  /// The property: `items.0.name`; empty for the whole.
  public let path: String
  /// What the decoder threw. Its text may show values.
  public let underlying: any Error
  private let summary: String

  init(_ underlying: any Error, decoding type: any Any.Type) {
    self.type = "\(type)"
    self.underlying = underlying
    let failure = DecodingFailure(underlying)
    path = failure.path
    summary = failure.summary(of: "it")
  }

  public var description: String {
    "cannot decode \(type) from the representation's properties: \(summary)"
  }
}
