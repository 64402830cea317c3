public import FaradayCoding
internal import FaradayCore

/// A HAL resource as a value: its properties, links and embedded resources (`application/hal+json`).
///
///     let order = Representation(properties: ["total": 30])
///       .with(rel: "self", href: "/orders/123")
///       .with(curie: "ea", href: "https://docs.example.com/rels/{rel}")
///       .with(HALLink(rel: "ea:find", href: "/orders{?id}"))
///
/// Lookups resolve CURIEs: `ea:find` finds a relation that is written as `https://docs.example.com/rels/find`, and the reverse.
/// They take linear time in the number of relations. Lookups in ``links`` and ``embedded``, by the relations as written in the
/// document, take constant time.
public struct Representation: Sendable, Hashable {
  /// The properties. Properties named `_links` and `_embedded` are ignored when it is encoded.
  public var properties: JSONObject
  /// The links as written in the document, without `curies`. Use ``link(for:name:)`` for lookups.
  public internal(set) var links = Relations<HALLink>()
  /// The CURIEs: the prefixes of its relations.
  public var curies: [Curie] {
    get { prefixes.curies }
    set { prefixes.replace(with: newValue) }
  }
  /// The embedded representations as written in the document. Use ``embedded(for:)`` for lookups.
  public internal(set) var embedded = Relations<Representation>()
  /// Its CURIEs, and the CURIEs of the representation that embeds it.
  var prefixes = Prefixes()
  /// The JSON decoder of the request that it was received for.
  private(set) var coder = Coder()

  /// A decoder that is not a part of the value: it does not change equality.
  struct Coder: Hashable, Sendable {
    var decoder: JSONDecoder?

    static func == (left: Coder, right: Coder) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Returns a copy whose properties, and the properties of the representations that it embeds, are decoded by this decoder.
  func decoding(by decoder: JSONDecoder?) -> Representation {
    guard let decoder else { return self }
    var copy = self
    copy.coder.decoder = decoder
    for (relation, inner) in embedded {
      copy.embedded.set(inner.map { $0.decoding(by: decoder) }, for: relation, isList: embedded.isList(relation))
    }
    return copy
  }

  /// Creates a representation with these properties, and without links.
  public init(properties: JSONObject = [:]) { self.properties = properties }

  /// The `self` link: the link to the resource itself.
  public var selfLink: HALLink? { link(for: "self") }

  /// Returns the first link of a relation, or the first with that name. The relation is a name, a CURIE or a URI.
  public func link(for relation: String, name: String? = nil) -> HALLink? {
    links(for: relation).first { name == nil || $0.name == name }
  }

  /// Returns all links of a relation, which is a name, a CURIE or a URI.
  public func links(for relation: String) -> [HALLink] { values(of: links, for: relation) }

  /// Returns the embedded representations of a relation, which is a name, a CURIE or a URI. The CURIEs of this representation
  /// apply to them too.
  public func embedded(for relation: String) -> [Representation] {
    let outer = prefixes.inside
    return values(of: embedded, for: relation).map { inner in
      var inner = inner
      inner.prefixes.outer = outer
      return inner
    }
  }

  /// Expands a CURIE to its URI. Returns nil if its prefix is unknown.
  public func expand(curie: String) -> String? {
    Curie.split(curie).flatMap { prefixes[$0.prefix] }?.expand(curie)
  }

  /// Abbreviates a URI to a CURIE. Returns nil if no prefix matches.
  public func contract(uri: String) -> String? {
    for known in prefixes.all { if let curie = known.contract(uri) { return curie } }
    return nil
  }

  private func values<Value>(of relations: Relations<Value>, for relation: String) -> [Value] {
    let wanted = expand(curie: relation) ?? relation
    // The expected reference for each prefix. No relation is expanded, because a prefix can expand to a megabyte.
    var references: [String: String?] = [:]
    return relations.rels.filter { rel in
      if rel == relation { return true }
      guard let (prefix, reference) = Curie.split(rel), let curie = prefixes[prefix] else { return rel == wanted }
      let needed = references[prefix] ?? curie.encodedReference(in: wanted)
      references[prefix] = .some(needed)
      return needed != nil && curie.encode(reference) == needed
    }.flatMap { relations[$0] }
  }

  /// Ignores the representation that embeds it.
  public static func == (left: Representation, right: Representation) -> Bool {
    left.properties == right.properties && left.links == right.links && left.curies == right.curies
      && left.embedded == right.embedded
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(properties)
    hasher.combine(links)
    hasher.combine(curies)
    hasher.combine(embedded)
  }
}
