public import FaradayCoding

/// A HAL resource as a value: its properties, links and embedded resources (`application/hal+json`).
///
///     let order = Representation(properties: ["total": 30])
///       .with(rel: "self", href: "/orders/123")
///       .with(curie: "ea", href: "https://docs.example.com/rels/{rel}")
///       .with(HALLink(rel: "ea:find", href: "/orders{?id}"))
///
/// Lookups resolve CURIEs: `ea:find` finds what is written as `https://docs.example.com/rels/find`, and the reverse. They take
/// linear time in the number of relations; ``links`` and ``embedded``, which have relations as they are written, constant time.
public struct Representation: Sendable, Hashable {
  /// The properties. `_links` and `_embedded` among them are ignored when it is encoded.
  public var properties: JSONObject
  /// The links as they are written, without `curies`. For lookups there is ``link(for:name:)``.
  public internal(set) var links = Relations<HALLink>()
  /// The CURIEs: prefixes of its relations.
  public var curies: [Curie] {
    get { prefixes.curies }
    set { prefixes.replace(with: newValue) }
  }
  /// The embedded representations as they are written. For lookups there is ``embedded(for:)``.
  public internal(set) var embedded = Relations<Representation>()
  /// Its CURIEs, and those of the representation that it was embedded in.
  var prefixes = Prefixes()

  /// A representation with these properties, and no links.
  public init(properties: JSONObject = [:]) { self.properties = properties }

  /// The `self` link: the link to the resource itself.
  public var selfLink: HALLink? { link(for: "self") }

  /// The first link of a relation, or the first with that name. The relation is a name, a CURIE or a URI.
  public func link(for relation: String, name: String? = nil) -> HALLink? {
    links(for: relation).first { name == nil || $0.name == name }
  }

  /// All links of a relation, which is a name, a CURIE or a URI.
  public func links(for relation: String) -> [HALLink] { values(of: links, for: relation) }

  /// The embedded representations of a relation, which is a name, a CURIE or a URI. The CURIEs of this one apply to them too.
  public func embedded(for relation: String) -> [Representation] {
    let outer = prefixes.inside
    return values(of: embedded, for: relation).map { inner in
      var inner = inner
      inner.prefixes.outer = outer
      return inner
    }
  }

  /// Expands a CURIE to its URI; nil if its prefix is unknown.
  public func expand(curie: String) -> String? {
    Curie.split(curie).flatMap { prefixes[$0.prefix] }?.expand(curie)
  }

  /// Abbreviates a URI to a CURIE; nil if no prefix matches.
  public func contract(uri: String) -> String? {
    for known in prefixes.all { if let curie = known.contract(uri) { return curie } }
    return nil
  }

  private func values<Value>(of relations: Relations<Value>, for relation: String) -> [Value] {
    let wanted = expand(curie: relation) ?? relation
    // What has to stand behind each prefix. No relation is expanded, as a prefix can stand for a megabyte.
    var references: [String: String?] = [:]
    return relations.rels.filter { rel in
      if rel == relation { return true }
      guard let (prefix, reference) = Curie.split(rel), let curie = prefixes[prefix] else { return rel == wanted }
      let needed = references[prefix] ?? curie.encodedReference(in: wanted)
      references[prefix] = .some(needed)
      return needed != nil && curie.encode(reference) == needed
    }.flatMap { relations[$0] }
  }

  /// Ignores the representation that it was embedded in.
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
