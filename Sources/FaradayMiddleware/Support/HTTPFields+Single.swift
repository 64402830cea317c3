internal import FaradayCore

extension HTTPFields {
  /// Returns the bytes of a field that must occur only once. Equal fields count as one. Nil if there is no such field, or if
  /// they differ.
  ///
  /// - Parameter keepsRepeatedHeaders: whether the adapter keeps repeated fields separate. If it joins them by commas, a list
  ///   of equal values counts as one field.
  func single(_ name: HTTPField.Name, keepsRepeatedHeaders: Bool) -> [UInt8]? {
    let values = self[fields: name].map { $0.withUnsafeBytesOfValue { Array($0) } }
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return keepsRepeatedHeaders ? first : Self.unjoined(first)
  }

  private static func unjoined(_ value: [UInt8]) -> [UInt8] {
    let comma = Array(", ".utf8)
    for end in value.indices where value[end...].starts(with: comma) && (value.count + 2) % (end + 2) == 0 {
      // A joined list of equal values repeats after the length of one value and its comma.
      let period = end + 2
      if zip(value, value.dropFirst(period)).allSatisfy({ $0 == $1 }) { return Array(value[..<end]) }
    }
    return value
  }
}
