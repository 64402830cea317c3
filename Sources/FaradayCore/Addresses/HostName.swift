/// The canonical spelling of a host name, for comparisons and for the engine: ASCII, in lower case.
///
/// Engines convert international names by different rules (UTS 46: `bank。example` and `ｂａｎｋ.example` are `bank.example`). A
/// program could then compare one host name, and the engine connect to another. Therefore a name that these rules change in
/// more than its case is rejected, and the engine gets only ASCII names.
package enum HostName {
  /// The name in lower case, and with its international labels in Punycode (RFC 5890, section 2.3.2.1). Nil for an
  /// international name that is not normalized: it has characters that are mapped, ignored or composed (UTS 46, NFC).
  ///
  /// A name in ASCII is not checked.
  package static func ascii(_ text: some StringProtocol) -> String? {
    let name = text.lowercased()
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    var spelled: [String] = []
    for (index, label) in labels.enumerated() {
      // Only the last label may be empty: the root.
      guard !label.isEmpty || index == labels.count - 1 else { return nil }
      let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
      // A label has 63 bytes at most (RFC 1035, section 2.3.4). Encoding a longer label would take quadratic time.
      guard isASCII || label.utf8.count <= 4 * 63 else { return nil }
      guard label.unicodeScalars.allSatisfy({ $0.isASCII ? $0.isOfName : $0.isItself }) else { return nil }
      spelled.append(isASCII ? String(label) : "xn--" + Punycode.encode(String(label)))
    }
    return spelled.joined(separator: ".")
  }

  /// The canonical spelling of a name with percent-encoded characters, as in a URL. An IPv6 address in brackets is only
  /// lower-cased.
  package static func ascii(percentEncoded text: some StringProtocol) -> String? {
    guard !text.hasPrefix("["), text.utf8.contains(UInt8(ascii: "%")) else { return ascii(text) }
    return String(validating: QueryParameters.decoded(text.utf8), as: UTF8.self).flatMap { ascii($0) }
  }

  /// The host of a URL, IPv6 without brackets: in its ASCII spelling, or in lower case if that is nil. Nil for a URL without a
  /// host.
  package static func of(_ url: URL) -> String? {
    // Decoded: Foundation percent-encodes a non-ASCII host in an absolute URL, but not in a relative one.
    url.host(percentEncoded: false).map { ascii($0) ?? $0.lowercased() }
  }
}

extension String {
  /// The host without the trailing dot of the root.
  package var withoutTrailingDot: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension UInt8 {
  /// Whether the byte is allowed in a lower-case host name, or is an underscore, which real host names contain too.
  package var isHostNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isOfName: Bool { UInt8(ascii: self).isHostNameByte }

  /// Whether normalization of an international name keeps the character unchanged.
  fileprivate var isItself: Bool {
    switch value {
    // The sharp S and the final sigma, which IDNA 2008 keeps.
    case 0xDF, 0x3C2: return true
    // The ideographic full stop is mapped to a dot.
    case 0x3002: return false
    // Marks, jamo and voicing marks: NFC composes them with the character before them.
    case 0x300...0x36F, 0x1161...0x11C2, 0x3099...0x309A: return false
    default: break
    }
    switch properties.generalCategory {
    case .unassigned, .control, .format, .surrogate, .privateUse, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      return false
    default: return self != "\u{FFFD}" && !properties.changesWhenNFKCCaseFolded
    }
  }
}

/// The ASCII form of a label of an international host name (RFC 3492), without `xn--`.
package enum Punycode {
  package static func encode(_ label: String) -> String {
    let scalars = label.unicodeScalars.map { Int($0.value) }
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var handled = basicCount
    var next = 0x80
    var delta = 0
    var bias = 72
    while handled < scalars.count, let least = scalars.filter({ $0 >= next }).min() {
      delta += (least - next) * (handled + 1)
      next = least
      for scalar in scalars {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        append(delta, to: &output, bias: bias)
        bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      next += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static let base = 36
  private static let least = 1
  private static let most = 26

  /// A number of variable length, its lowest digit first.
  private static func append(_ delta: Int, to output: inout [UInt8], bias: Int) {
    var rest = delta
    var place = base
    while true {
      let threshold = min(max(place - bias, least), most)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      place += base
    }
    output.append(digit(rest))
  }

  private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var steps = 0
    while delta > (base - least) * most / 2 {
      delta /= base - least
      steps += base
    }
    return steps + (base - least + 1) * delta / (delta + 38)
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
