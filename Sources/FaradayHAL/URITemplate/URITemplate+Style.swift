extension URITemplate {
  /// The way in which the values of an expression are joined, by its operator (RFC 6570, section 2.2 and appendix A).
  struct Style: Sendable, Hashable {
    /// The text before the first value.
    let first: String
    /// The text between values.
    let separator: String
    /// Whether each value is preceded by its name.
    let isNamed: Bool
    /// The text after the name of an empty value.
    let ifEmpty: String
    /// Reserved expansion: whether reserved characters (RFC 3986) and percent-encoded sequences are kept.
    let keepsReserved: Bool

    static let simple = Style(first: "", separator: ",")

    static let operators: [Unicode.Scalar: Style] = [
      "+": Style(first: "", separator: ",", keepsReserved: true),
      "#": Style(first: "#", separator: ",", keepsReserved: true),
      ".": Style(first: ".", separator: "."),
      "/": Style(first: "/", separator: "/"),
      ";": Style(first: ";", separator: ";", isNamed: true),
      "?": Style(first: "?", separator: "&", isNamed: true, ifEmpty: "="),
      "&": Style(first: "&", separator: "&", isNamed: true, ifEmpty: "="),
    ]

    /// Operators that the RFC reserves for extensions.
    static let reservedOperators: Set<Unicode.Scalar> = ["=", ",", "!", "@", "|"]

    private init(
      first: String, separator: String, isNamed: Bool = false, ifEmpty: String = "", keepsReserved: Bool = false
    ) {
      self.first = first
      self.separator = separator
      self.isNamed = isNamed
      self.ifEmpty = ifEmpty
      self.keepsReserved = keepsReserved
    }
  }
}
