internal import FaradayCoding
public import FaradayCore

extension Representation {
  /// Decodes the properties as a value of this type.
  ///
  ///     let orders = try page.embedded(for: "ea:order").map { try $0.decode(Order.self) }
  ///
  /// The properties are serialized as JSON, with all digits of numbers, and decoded. Throws
  /// ``FaradayCoding/BodyDecodingError``.
  ///
  /// - Parameter decoder: nil means the ``FaradayCore/Options/jsonDecoder`` of the request that the representation was received
  ///   for.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, using decoder: JSONDecoder? = nil
  ) throws -> Value {
    do {
      return try (decoder ?? coder.decoder ?? JSONDecoder()).decode(type, from: JSONValue.object(properties).data())
    } catch {
      throw BodyDecodingError(error, decodingPropertiesAs: type)
    }
  }

  /// Creates a representation with the properties of a value, which must encode as a JSON object. Throws the errors of encoding
  /// it, and ``HALError`` if it is not an object.
  public init(encoding value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws {
    try self.init(data: encoder.encode(value))
  }

  /// Parses a HAL document. Throws ``FaradayCoding/JSONError`` if it is not valid JSON, and ``HALError``.
  public init(data: Data) throws { try self.init(json: JSONValue(data: data)) }
}
