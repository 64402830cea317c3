public import FaradayCoding

extension Representation {
  /// Adds a link behind those of its relation; a second one makes a list. One of `curies` is a prefix.
  public mutating func add(_ link: HALLink) {
    if link.rel == Self.curiesRel {
      prefixes.append(Curie(link.name ?? "", href: link.href))
    } else {
      links.add(link, to: link.rel)
    }
  }

  /// Has these links under a relation, as a list however many they are, and no others.
  public mutating func setLinks(_ links: [HALLink], for rel: String) {
    let links = links.map { link in
      var link = link
      link.rel = rel
      return link
    }
    if rel == Self.curiesRel {
      curies = []
      for link in links { add(link) }
    } else {
      self.links.set(links, for: rel, isList: true)
    }
  }

  /// Takes the links of a relation away.
  public mutating func removeLinks(for rel: String) { links.remove(rel) }

  /// Embeds a representation behind those of the relation; a second one makes a list.
  public mutating func embed(_ representation: Representation, for rel: String) { embedded.add(representation, to: rel) }

  /// Has these representations under a relation, as a list however many they are, and no others.
  public mutating func embed(_ representations: [Representation], for rel: String) {
    embedded.set(representations, for: rel, isList: true)
  }

  /// Takes the representations under a relation away.
  public mutating func removeEmbedded(for rel: String) { embedded.remove(rel) }

  /// This with one more link.
  public func with(_ link: HALLink) -> Representation { changed { $0.add(link) } }

  /// This with one more link, which is a template if it has an expression.
  public func with(rel: String, href: String) -> Representation { with(HALLink(rel: rel, href: href)) }

  /// This with these links under a relation, as a list.
  public func with(rel: String, links: [HALLink]) -> Representation { changed { $0.setLinks(links, for: rel) } }

  /// This with one more prefix for relations; `href` is a template whose variable is `rel`.
  public func with(curie name: String, href: String) -> Representation {
    changed { $0.prefixes.append(Curie(name, href: href)) }
  }

  /// This with a property.
  public func with(property name: String, _ value: JSONValue) -> Representation { changed { $0.properties[name] = value } }

  /// This with one more representation embedded.
  public func with(rel: String, embedded: Representation) -> Representation { changed { $0.embed(embedded, for: rel) } }

  /// This with these representations under a relation, as a list.
  public func with(rel: String, embedded: [Representation]) -> Representation { changed { $0.embed(embedded, for: rel) } }

  static let curiesRel = "curies"

  private func changed(_ change: (inout Representation) -> Void) -> Representation {
    var changed = self
    change(&changed)
    return changed
  }
}
