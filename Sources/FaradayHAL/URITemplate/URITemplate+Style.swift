extension URITemplate {
  /// How an expression's values are put together; its operator says which (RFC 6570, section 2.2 and appendix A).
  struct Style: Sendable, Hashable {
    /// Stands before the first value.
    let first: String
    /// Stands between values.
    let separator: String
    /// Whether each value has its name before it.
    let isNamed: Bool
    /// What follows the name of an empty value.
    let ifEmpty: String
    /// Whether the reserved characters of RFC 3986 and what is percent-encoded already stay as they are.
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

    /// Kept for extensions of the RFC.
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
