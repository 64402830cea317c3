internal import FaradayCoding
public import FaradayCore

extension Representation {
  /// Decodes the properties as a value of this type.
  ///
  ///     let orders = try page.embedded(for: "ea:order").map { try $0.decode(Order.self) }
  ///
  /// They are serialized as JSON and read by the decoder, with all digits of numbers. Throws ``UndecodableProperties``.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    do {
      return try decoder.decode(type, from: JSONValue.object(properties).data())
    } catch {
      throw UndecodableProperties(error, decoding: type)
    }
  }

  /// A representation with the properties of a value, which must be encoded as a JSON object. Throws what encoding it throws,
  /// and ``MalformedHAL`` if it is not an object.
  public init(encoding value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws {
    try self.init(data: encoder.encode(value))
  }

  /// Parses a HAL document. Throws ``FaradayCoding/MalformedJSON`` if it is not valid JSON, and ``MalformedHAL``.
  public init(data: Data) throws { try self.init(json: JSONValue(data: data)) }
}

/// The properties of a representation could not be decoded as the expected type.
public struct UndecodableProperties: FaradayError {
  /// The type that was to be decoded.
  public let type: String
  /// The coding path of the value that is wrong: `items.0.name`; empty for all properties.
  public let path: String
  /// The error of the decoder. Its description may show values.
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
