public import FaradayCore

extension JSONEncoder {
  /// A new encoder that sorts members by name, so that equal values have equal bytes, and does not escape slashes.
  public static var sortingKeys: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
