/// The one spelling of a host name that is compared, and that an engine gets: ASCII, in lower case.
///
/// Engines convert international names by rules of their own (UTS 46: `bank。example` and `ｂａｎｋ.example` are `bank.example`), so that
/// what a program has compared would be another host than the one that is connected to. Here a name that such rules would change
/// further than by lower case is refused, and an engine gets no name to convert.
package enum HostName {
  /// The name in lower case, and with its international labels in Punycode (RFC 5890, section 2.3.2.1). Nil for an international name
  /// that is not in its usual form: with characters that stand for others, are ignored, or would be composed (UTS 46, NFC).
  ///
  /// A name in ASCII is not checked.
  package static func ascii(_ text: some StringProtocol) -> String? {
    let name = text.lowercased()
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    var spelled: [String] = []
    for (index, label) in labels.enumerated() {
      // Only the last one may be empty: that of the root.
      guard !label.isEmpty || index == labels.count - 1 else { return nil }
      let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
      // A label has 63 bytes at most (RFC 1035, section 2.3.4). A longer one would also cost the square of its length.
      guard isASCII || label.utf8.count <= 4 * 63 else { return nil }
      guard label.unicodeScalars.allSatisfy({ $0.isASCII ? $0.isOfName : $0.isItself }) else { return nil }
      spelled.append(isASCII ? String(label) : "xn--" + Punycode.encode(String(label)))
    }
    return spelled.joined(separator: ".")
  }

  /// The same of a name in which characters may be percent-encoded, as in a URL; an IPv6 address in brackets is as it is, in lower case.
  package static func ascii(percentEncoded text: some StringProtocol) -> String? {
    guard !text.hasPrefix("["), text.utf8.contains(UInt8(ascii: "%")) else { return ascii(text) }
    return String(validating: QueryParameters.decoded(text.utf8), as: UTF8.self).flatMap { ascii($0) }
  }

  /// The host of a URL, IPv6 without brackets: in its ASCII spelling, or in lower case if it has none. Nil if there is none.
  package static func of(_ url: URL) -> String? {
    // Decoded: Foundation percent-encodes a non-ASCII host in an absolute URL, but not in a relative one.
    url.host(percentEncoded: false).map { ascii($0) ?? $0.lowercased() }
  }
}

extension String {
  /// This host without the trailing dot of the root.
  package var withoutTrailingDot: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension UInt8 {
  /// Whether it is a character of a host name in lower case; the underscore is none, but is used.
  package var isHostNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isOfName: Bool { UInt8(ascii: self).isHostNameByte }

  /// Whether it stands for itself in an international name, and not for others.
  fileprivate var isItself: Bool {
    switch value {
    // The sharp S and the final sigma, which IDNA 2008 keeps.
    case 0xDF, 0x3C2: return true
    // The ideographic full stop is a dot.
    case 0x3002: return false
    // Marks, jamo and voicing marks: with what is before them they would be another character (NFC).
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
