internal import FaradayCore

/// The Public Suffix List: domains under which anybody can register a name, such as `com`, `co.uk` and `github.io`. No cookie
/// can be set for these domains, because it would be sent to unrelated sites.
///
/// The list has the ICANN rules and the private rules. A domain that no rule matches is a suffix if it has no dot. A copy of
/// the list is compiled in. It is read-only data and searched in place: it costs neither time nor memory before the first
/// cookie with a `Domain`, and some microseconds for each cookie with a `Domain`.
public struct PublicSuffixes: Sendable {
  /// The compiled-in list, of ``builtInVersion``.
  public static let builtIn = PublicSuffixes(sorted: PublicSuffixList.rules)

  /// The version of the compiled-in list, in its publisher's notation.
  public static var builtInVersion: String { PublicSuffixList.version }

  /// The rules in ASCII, in the order of their bytes, separated by spaces.
  private let rules: String

  private init(sorted rules: String) { self.rules = rules }

  /// Reads a list in the format of https://publicsuffix.org/list/, such as `/usr/share/publicsuffix/public_suffix_list.dat`.
  /// Blocks while it reads. Throws the errors of reading the file, and ``FaradayCore/InvalidValueError`` if it contains no
  /// rule.
  public init(contentsOf path: String) throws {
    try self.init(parsing: String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self))
  }

  /// Parses a list in its own format: a rule on each line, up to the first space, and comments that begin with `//`. Throws
  /// ``FaradayCore/InvalidValueError`` if it contains no rule.
  public init(parsing text: String) throws {
    let lines = text.split(whereSeparator: \.isNewline).compactMap { line in line.split(whereSeparator: \.isWhitespace).first }
    let rules = Set(lines.filter { !$0.hasPrefix("//") }.compactMap(Self.canonical))
    guard !rules.isEmpty else { throw InvalidValueError(.publicSuffixList, "", "the public suffix list contains no rule") }
    // Strings are sorted by Unicode, which for ASCII is the order of the bytes.
    self.init(sorted: rules.sorted().joined(separator: " "))
  }

  /// Whether the domain is a public suffix. Case-insensitive; an international name and its Punycode form are equal.
  public func contains(_ domain: String) -> Bool {
    guard let domain = CookieHost.canonical(domain) else { return false }
    return suffix(of: domain) == domain
  }

  /// Whether the names directly below the domain belong to unrelated parties: the domain is a suffix, or the parent of a
  /// wildcard rule. By the algorithm of the list, `kawasaki.jp` is not a suffix, because `*.kawasaki.jp` covers only the names
  /// below it. But a cookie for `kawasaki.jp` would still reach unrelated sites.
  func isShared(_ domain: String) -> Bool {
    guard let domain = CookieHost.canonical(domain) else { return false }
    return suffix(of: domain) == domain || !domain.hasSuffix(".") && hasRule("*." + domain)
  }

  /// Returns the registrable domain (eTLD+1) of a host: its public suffix and one more label. Nil for a host that is a suffix
  /// itself,
  /// for IP addresses, and for invalid host names.
  public func registrableDomain(of host: String) -> String? {
    guard let host = CookieHost.canonical(host), let suffix = suffix(of: host), suffix != host else { return nil }
    let label = host.dropLast(suffix.count + 1).split(separator: ".").last ?? ""
    return label + "." + suffix
  }

  /// Returns the suffix by the prevailing rule. An exception rule prevails, and its suffix starts after its first label;
  /// otherwise the longest rule prevails.
  private func suffix(of host: String) -> String? {
    guard !CookieHost.isAddress(host), !host.hasSuffix(".") else { return nil }
    let domains = CookieHost.domains(of: host)
    var longest: String?
    for (domain, parent) in zip(domains, domains.dropFirst().map(Optional.some) + [nil]) {
      if let parent, hasRule("!" + domain) { return parent }
      guard longest == nil else { continue }
      if hasRule(domain) || parent.map({ hasRule("*." + $0) }) == true { longest = domain }
    }
    return longest ?? domains.last
  }

  private func hasRule(_ rule: String) -> Bool {
    rules.utf8.withContiguousStorageIfAvailable { Self.hasWord(Array(rule.utf8), in: $0) }
      ?? Self.hasWord(Array(rule.utf8), in: Array(rules.utf8))
  }

  /// Binary search: halves the text, which begins with a word.
  private static func hasWord(_ word: [UInt8], in text: some RandomAccessCollection<UInt8>) -> Bool {
    let space = UInt8(ascii: " ")
    var rest = text[...]
    while !rest.isEmpty {
      let middle = rest.index(rest.startIndex, offsetBy: rest.count / 2)
      let start = rest[..<middle].lastIndex(of: space).map { rest.index(after: $0) } ?? rest.startIndex
      let candidate = rest[start...].prefix { $0 != space }
      if candidate.elementsEqual(word) { return true }
      rest = candidate.lexicographicallyPrecedes(word) ? rest[candidate.endIndex...].dropFirst() : rest[..<start]
    }
    return false
  }

  private static func canonical(_ rule: Substring) -> String? {
    for mark in ["!", "*."] where rule.hasPrefix(mark) {
      return CookieHost.canonical(String(rule.dropFirst(mark.count))).map { mark + $0 }
    }
    return CookieHost.canonical(String(rule))
  }
}
