#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable {
  /// The bits of the IPv6 address, or of the IPv4 address in the lowest 32 bits.
  let bits: UInt128
  /// Whether it is an IPv4 address.
  public let isIPv4: Bool

  init(bits: UInt128, isIPv4: Bool) {
    self.bits = bits
    self.isIPv4 = isIPv4
  }

  /// Parses an address: `192.0.2.1`, `2001:db8::1`, with or without brackets. A zone (`%eth0`) is ignored. Nil for any other
  /// text: host names, and the short, octal and hexadecimal spellings of IPv4.
  public init?(_ text: String) {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let inner = isBracketed ? text.dropFirst().dropLast() : text[...]
    let plain = String(inner.prefix { $0 != "%" })
    // C would stop at a NUL. The other characters are delimiters in lists and URLs.
    guard inner.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"[],/".utf8.contains($0) }), !inner.hasSuffix("%") else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET6, plain, &bytes) == 1 {
      self.init(bytes: bytes)
    } else if !isBracketed, plain.count == inner.count, inet_pton(AF_INET, plain, &bytes) == 1 {
      self.init(bytes: bytes[..<4])
    } else {
      return nil
    }
  }

  /// An address from its 4 or 16 bytes in network order.
  package init(bytes: some Collection<UInt8>) {
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt128($1) }, isIPv4: bytes.count == 4)
  }

  /// The IPv4 address that an IPv4-mapped address spells (RFC 4291, section 2.5.5.2). The system connects to it.
  var mapped: IPAddress? { !isIPv4 && bits >> 32 == 0xFFFF ? lower : nil }

  /// The IPv4 address that a NAT64 gateway connects to for this address (RFC 6052).
  var translated: IPAddress? { !isIPv4 && bits >> 32 == 0x0064_FF9B << 64 ? lower : nil }

  /// The IPv4 address that is embedded in an IPv6 address: IPv4-mapped or IPv4-compatible (RFC 4291, section 2.5.5), NAT64 (RFC
  /// 6052, RFC 8215), 6to4 (RFC 3056) or ISATAP (RFC 5214, section 6.1).
  var embedded: IPAddress? {
    if let address = mapped ?? translated { return address }
    guard !isIPv4 else { return nil }
    if bits >> 112 == 0x2002 { return IPAddress(bits: bits >> 80 & 0xFFFF_FFFF, isIPv4: true) }
    let isCompatible = bits >> 32 == 0 && bits > 1
    // NAT64 within a network (RFC 8215), and stateless translation (RFC 7915).
    if bits >> 80 == 0x0064_FF9B_0001 || bits >> 32 == 0xFFFF_0000 { return lower }
    // The interface identifier is `0:5efe` and the address; the universal bit may be set.
    let isISATAP = bits >> 32 & 0xFDFF_FFFF == 0x5EFE
    return isCompatible || isISATAP ? lower : nil
  }

  /// The address that a connection reaches: the loopback address for the unspecified address (Linux).
  var reached: IPAddress {
    guard bits == 0 else { return self }
    return IPAddress(bits: isIPv4 ? 0x7F00_0001 : 1, isIPv4: isIPv4)
  }

  private var lower: IPAddress { IPAddress(bits: bits & 0xFFFF_FFFF, isIPv4: true) }
}

extension IPAddress: CustomStringConvertible {
  /// `192.0.2.1`, `2001:db8::1`
  public var description: String {
    let count = isIPv4 ? 4 : 16
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * (count - 1 - $0))) }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A range of addresses: a network prefix (CIDR), or a single address.
public struct IPAddressRange: Sendable, Hashable, CustomStringConvertible {
  let address: IPAddress
  let length: Int
  /// Whether an IPv4-mapped or NAT64 address in the range is checked only as its IPv4 address.
  var isForOthers = false

  /// A range in CIDR notation, `10.0.0.0/8`, or one address. Throws ``InvalidValueError``.
  public init(_ text: String) throws(InvalidValueError) {
    let invalid = InvalidValueError(
      .addressRange, text.bounded(),
      "\(text.bounded().debugDescription) is not an IP address or range: expected 192.0.2.0/24 or 2001:db8::/32")
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { throw invalid }
    let all = address.isIPv4 ? 32 : 128
    var length = all
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy(\.isDigit), let given = Int(parts[1]), given <= all else {
        throw invalid
      }
      length = given
    }
    // An IPv4-mapped range is another spelling of an IPv4 range.
    if let mapped = address.mapped, length >= 96 { self.init(mapped, length - 96) } else { self.init(address, length) }
  }

  init(_ address: IPAddress, _ length: Int) {
    self.address = address
    self.length = length
  }

  /// Whether the address is in the range. An IPv6 range contains no IPv4 address.
  public func contains(_ other: IPAddress) -> Bool {
    guard other.isIPv4 == address.isIPv4 else { return false }
    let shift = (address.isIPv4 ? 32 : 128) - length
    return other.bits >> shift == address.bits >> shift
  }

  public var description: String { "\(address)/\(length)" }
}

extension String {
  /// The host as in a URL: an IPv6 address in brackets.
  package var bracketedHost: String { utf8.contains(UInt8(ascii: ":")) && !hasPrefix("[") ? "[\(self)]" : self }
}
