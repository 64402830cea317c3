public import FaradayCoding

/// A resource as HAL has it: properties, links, and other resources embedded in it, as a value.
///
///     let order = Representation(properties: ["total": 30])
///       .with(rel: "self", href: "/orders/123")
///       .with(curie: "ea", href: "https://docs.example.com/rels/{rel}")
///       .with(HALLink(rel: "ea:find", href: "/orders{?id}"))
///
/// A relation is looked up however it is written: `ea:find` finds what stands under `https://docs.example.com/rels/find`, and
/// the other way round. To look one up takes time in proportion to the relations that there are; ``links`` and ``embedded``,
/// which have them as they are written, find one at once.
public struct Representation: Sendable, Hashable {
  /// What it says of itself. `_links` and `_embedded` are no properties, and are not rendered.
  public var properties: JSONObject
  /// The links but `curies`, as they are written. To look one up there is ``link(for:name:)``.
  public internal(set) var links = Relations<HALLink>()
  /// The prefixes of its relations.
  public var curies: [Curie] {
    get { prefixes.curies }
    set { prefixes.replace(with: newValue) }
  }
  /// The representations in it, as they are written. To look one up there is ``embedded(for:)``.
  public internal(set) var embedded = Relations<Representation>()
  /// With those of the representation that this one was taken from, which count here too.
  var prefixes = Prefixes()

  public init(properties: JSONObject = [:]) { self.properties = properties }

  /// The link to the resource itself.
  public var selfLink: HALLink? { link(for: "self") }

  /// The first link of a relation, or the first of that name; the relation is a name, a CURIE or a URI.
  public func link(for relation: String, name: String? = nil) -> HALLink? {
    links(for: relation).first { name == nil || $0.name == name }
  }

  /// All links of a relation: a name, a CURIE or a URI.
  public func links(for relation: String) -> [HALLink] { values(of: links, for: relation) }

  /// The representations that are embedded under a relation: a name, a CURIE or a URI. They know the prefixes of this one.
  public func embedded(for relation: String) -> [Representation] {
    let outer = prefixes.inside
    return values(of: embedded, for: relation).map { inner in
      var inner = inner
      inner.prefixes.outer = outer
      return inner
    }
  }

  /// The URI of a CURIE; nil if no prefix is known for it.
  public func expand(curie: String) -> String? {
    Curie.split(curie).flatMap { prefixes[$0.prefix] }?.expand(curie)
  }

  /// The CURIE of a URI; nil if no prefix fits it.
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

  /// What it was taken from makes no difference.
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
