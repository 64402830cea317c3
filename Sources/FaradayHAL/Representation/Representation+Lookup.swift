public import FaradayCoding

extension Representation {
  /// The property of that name; if there is none, or it is null, the default.
  ///
  ///     let total = order.value(for: "total", default: 0).int
  public func value(for name: String, default value: JSONValue) -> JSONValue {
    guard let found = properties[name], !found.isNull else { return value }
    return found
  }

  /// The first link with this `href`, as it is written, whatever its relation; templates too. It takes time in proportion to the
  /// links that there are.
  public func link(href: String) -> HALLink? {
    for (_, values) in links { if let link = values.first(where: { $0.href == href }) { return link } }
    return nil
  }

  /// The HAL document as text: ``json``, in the order that it has there unless `formatting` says otherwise.
  ///
  /// Throws an `EncodingError` for a number that is not finite.
  public func jsonString(_ formatting: JSONFormatting = []) throws -> String { try json.text(formatting) }
}
