/// The text without the blanks around it.
func trimmed(_ text: some StringProtocol) -> String {
  let isBlank = { (character: Character) in character == " " || character == "\t" }
  guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
  else { return "" }
  return String(text[first...last])
}

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
    guard let high = rest.popFirst().flatMap(hexadecimalValue), let low = rest.popFirst().flatMap(hexadecimalValue)
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

/// Base64 (RFC 4648, section 4) of the text's UTF-8, padded.
func base64(_ text: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var result: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let group = Array(rest.prefix(3))
    rest = rest.dropFirst(3)
    let bits = UInt32(group[0]) << 16 | UInt32(group.count > 1 ? group[1] : 0) << 8 | UInt32(group.count > 2 ? group[2] : 0)
    for index in 0..<4 {
      let digit = alphabet[Int(bits >> UInt32(18 - 6 * index)) & 63]
      result.append(index <= group.count ? digit : UInt8(ascii: "="))
    }
  }
  return String(decoding: result, as: UTF8.self)
}

private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}
