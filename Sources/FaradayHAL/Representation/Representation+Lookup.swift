public import FaradayCoding

extension Representation {
  /// Returns the property with that name, or the default if there is none or it is null.
  ///
  ///     let total = order.value(for: "total", default: 0).int
  public func value(for name: String, default value: JSONValue) -> JSONValue {
    guard let found = properties[name], !found.isNull else { return value }
    return found
  }

  /// Returns the first link with exactly this `href`, with any relation; templates too. It takes linear time in the number of
  /// links.
  public func link(href: String) -> HALLink? {
    for (_, values) in links { if let link = values.first(where: { $0.href == href }) { return link } }
    return nil
  }

  /// Returns the HAL document as text: ``json``, by default in its order.
  ///
  /// Throws an `EncodingError` for a number that is not finite.
  public func jsonString(_ formatting: JSONFormatting = []) throws -> String { try json.text(formatting) }
}
