public import FaradayCoding

extension Representation {
  /// Appends a link to its relation; a second link creates an array. A link with the relation `curies` is added to ``curies``.
  public mutating func add(_ link: HALLink) {
    if link.rel == Self.curiesRel {
      prefixes.append(Curie(link.name ?? "", href: link.href))
    } else {
      links.add(link, to: link.rel)
    }
  }

  /// Replaces the links of a relation with this array.
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

  /// Removes the links of a relation.
  public mutating func removeLinks(for rel: String) { links.remove(rel) }

  /// Appends an embedded representation to a relation; a second one creates an array.
  public mutating func embed(_ representation: Representation, for rel: String) { embedded.add(representation, to: rel) }

  /// Replaces the embedded representations of a relation with this array.
  public mutating func embed(_ representations: [Representation], for rel: String) {
    embedded.set(representations, for: rel, isList: true)
  }

  /// Removes the embedded representations of a relation.
  public mutating func removeEmbedded(for rel: String) { embedded.remove(rel) }

  /// Returns a copy with a link appended.
  public func with(_ link: HALLink) -> Representation { changed { $0.add(link) } }

  /// Returns a copy with a link appended. The link is a URI template if it has an expression.
  public func with(rel: String, href: String) -> Representation { with(HALLink(rel: rel, href: href)) }

  /// Returns a copy with this array of links under a relation.
  public func with(rel: String, links: [HALLink]) -> Representation { changed { $0.setLinks(links, for: rel) } }

  /// Returns a copy with a CURIE appended; `href` is a URI template with the variable `rel`.
  public func with(curie name: String, href: String) -> Representation {
    changed { $0.prefixes.append(Curie(name, href: href)) }
  }

  /// Returns a copy with a property set.
  public func with(property name: String, _ value: JSONValue) -> Representation { changed { $0.properties[name] = value } }

  /// Returns a copy with an embedded representation appended.
  public func with(rel: String, embedded: Representation) -> Representation { changed { $0.embed(embedded, for: rel) } }

  /// Returns a copy with this array of embedded representations under a relation.
  public func with(rel: String, embedded: [Representation]) -> Representation { changed { $0.embed(embedded, for: rel) } }

  static let curiesRel = "curies"

  private func changed(_ change: (inout Representation) -> Void) -> Representation {
    var changed = self
    change(&changed)
    return changed
  }
}
