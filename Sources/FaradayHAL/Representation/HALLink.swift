/// A link of a HAL representation: a target and its relation (HAL draft, section 5).
///
///     HALLink(rel: "next", href: "/orders?page=2", title: "More")
///     HALLink(rel: "ea:find", href: "/orders{?id}")         // a URI template, as it has an expression
public struct HALLink: Sendable, Hashable {
  /// The link relation: a registered name, a CURIE, or a URI (RFC 8288).
  public var rel: String
  /// The target: a URI, which may be relative, or a URI template if ``isTemplated`` is true.
  public var href: String
  /// Whether ``href`` is a URI template (RFC 6570).
  public var isTemplated: Bool
  /// A secondary key that distinguishes links of the same relation.
  public var name: String?
  /// A human-readable label.
  public var title: String?
  /// The language of the target (RFC 5646).
  public var hreflang: String?
  /// The URI of the target's profile (RFC 6906).
  public var profile: String?
  /// The media type of the target.
  public var type: String?
  /// A URL with information about the link's deprecation; nil if it is not deprecated.
  public var deprecation: String?

  /// - Parameter isTemplated: by default, whether `href` contains a brace, which is invalid in a URI.
  public init(
    rel: String, href: String, isTemplated: Bool? = nil, name: String? = nil, title: String? = nil, hreflang: String? = nil,
    profile: String? = nil, type: String? = nil, deprecation: String? = nil
  ) {
    self.rel = rel
    self.href = href
    self.isTemplated = isTemplated ?? href.utf8.contains(UInt8(ascii: "{"))
    self.name = name
    self.title = title
    self.hreflang = hreflang
    self.profile = profile
    self.type = type
    self.deprecation = deprecation
  }

  /// Expands ``href`` with these values if it is a URI template; otherwise returns it unchanged. Throws ``URITemplateError``.
  public func expand(_ variables: [String: URITemplate.Value]) throws(URITemplateError) -> String {
    isTemplated ? try URITemplate(href).expand(variables) : href
  }
}
