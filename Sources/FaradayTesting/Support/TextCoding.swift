internal import FaradayCore

/// Decodes `%XX`; nil if what follows a percent sign is not two hexadecimal digits or the result is not UTF-8. A plus sign
/// stays one.
func percentDecoded(_ text: some StringProtocol) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = rest.popFirst().flatMap(\.hexDigitValue), let low = rest.popFirst().flatMap(\.hexDigitValue)
    else { return nil }
    bytes.append(high << 4 | low)
  }
  return String(validating: bytes, as: UTF8.self)
}

/// The pairs of a query, decoded, in order; nil if one cannot be decoded.
func queryPairs(_ query: String) -> [(name: String, value: String)]? {
  var pairs: [(name: String, value: String)] = []
  for pair in query.split(separator: "&") {
    let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = percentDecoded(halves[0]), let value = percentDecoded(halves.count > 1 ? halves[1] : "")
    else { return nil }
    pairs.append((name, value))
  }
  return pairs
}
