/// A link of a representation: where it leads, and under which relation (HAL draft, section 5).
///
///     HALLink(rel: "next", href: "/orders?page=2", title: "More")
///     HALLink(rel: "ea:find", href: "/orders{?id}")         // a template, as it has an expression
public struct HALLink: Sendable, Hashable {
  /// The relation: a registered name, a CURIE, or a URI (RFC 8288).
  public var rel: String
  /// A URI, which may be relative, or a URI template if ``isTemplated`` says so.
  public var href: String
  /// Whether ``href`` is a URI template (RFC 6570).
  public var isTemplated: Bool
  /// What tells it from other links of the same relation.
  public var name: String?
  /// What a person may call it.
  public var title: String?
  /// The language of what it leads to.
  public var hreflang: String?
  /// The URI of the profile of what it leads to (RFC 6906).
  public var profile: String?
  /// The media type to expect.
  public var type: String?
  /// That it will go away: a URL that says more.
  public var deprecation: String?

  /// - Parameter isTemplated: nil is whether there is a brace in `href`, which a URI cannot have.
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

  /// ``href`` with these values in its places, if it is a template; as it is if it is none. Throws ``URITemplateError``.
  public func expand(_ variables: [String: URITemplate.Value]) throws(URITemplateError) -> String {
    isTemplated ? try URITemplate(href).expand(variables) : href
  }
}
