internal import FaradayCore

/// Decodes `%XX`; nil if a percent sign is not followed by two hexadecimal digits, or if the result is not UTF-8. A plus sign
/// stays a plus sign.
func percentDecoded(_ text: some StringProtocol) -> String? {
  QueryParameters.strictlyDecoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
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
