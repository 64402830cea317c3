public import FaradayCore

extension Body {
  /// Encodes the value as a JSON body at once. Its `Content-Type` is `application/json` unless the request has one. Throws
  /// ``FaradayCoding/BodyEncodingError``.
  ///
  /// - Parameter encoder: sorts members by name by default, so that equal values have equal bytes.
  // Disfavored: a literal is untyped JSON. A Swift dictionary traps if a name is repeated.
  @_disfavoredOverload
  public static func json(_ value: some Encodable, encoder: JSONEncoder = .sortingKeys) throws -> Body {
    do {
      return .data(try encoder.data(of: value), contentType: .json)
    } catch {
      throw BodyEncodingError(error, encoding: value, of: nil)
    }
  }

  /// Encodes untyped JSON as a body at once, and keeps the order of members: `.json(["name": name, "age": age])`.
  /// Throws ``FaradayCoding/BodyEncodingError`` for a number that is not finite.
  public static func json(_ value: JSONValue) throws -> Body { try json(value, encoder: JSONEncoder()) }
}
