public import FaradayCore

extension JSONEncoder {
  /// Members stand in the order of their names, so that a value is the same bytes each time; slashes stand as they are.
  public static var sortingKeys: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
