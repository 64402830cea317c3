public import FaradayCore

extension Body {
  /// The value as JSON, encoded at once, with the `Content-Type` `application/json` unless the request has one. Throws
  /// ``UnencodableBody``.
  ///
  /// - Parameter encoder: sorts names by default, so that a value is the same bytes each time.
  public static func json(_ value: some Encodable, encoder: JSONEncoder = .sortingKeys) throws -> Body {
    do {
      return .data(try encoder.data(of: value), contentType: .json)
    } catch {
      throw UnencodableBody(error, encoding: value, of: nil)
    }
  }

  /// Untyped JSON, written at once in its own order: `.json(["name": name, "age": age])`. A literal whose values are all of one type is a
  /// Swift dictionary, and sorted by name, unless `as JSONValue` stands behind it. Throws ``UnencodableBody`` for a number that is not
  /// finite.
  public static func json(_ value: JSONValue) throws -> Body { try json(value, encoder: JSONEncoder()) }
}
