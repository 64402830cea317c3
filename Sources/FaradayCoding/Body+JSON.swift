public import FaradayCore

extension Body {
  /// A body that is the value encoded as JSON, at once. Its `Content-Type` is `application/json` unless the request has one.
  /// Throws ``FaradayCoding/UnencodableBody``.
  ///
  /// - Parameter encoder: sorts members by name by default, so that equal values have equal bytes.
  public static func json(_ value: some Encodable, encoder: JSONEncoder = .sortingKeys) throws -> Body {
    do {
      return .data(try encoder.data(of: value), contentType: .json)
    } catch {
      throw UnencodableBody(error, encoding: value, of: nil)
    }
  }

  /// A body of untyped JSON, encoded at once, members in their own order: `.json(["name": name, "age": age])`. A literal whose
  /// values are all of one type is a Swift dictionary, and sorted by name, unless `as JSONValue` is appended. Throws
  /// ``FaradayCoding/UnencodableBody`` for a number that is not finite.
  public static func json(_ value: JSONValue) throws -> Body { try json(value, encoder: JSONEncoder()) }
}
