public import FaradayCoding

extension Representation {
  /// Reads a HAL document. What is malformed in it is an error, ``MalformedHAL``, which says where; a null is taken for what is
  /// not there, and what HAL does not know of a link is dropped.
  public init(json: JSONValue) throws(MalformedHAL) { try self.init(json, at: "") }

  private init(_ json: JSONValue, at path: String) throws(MalformedHAL) {
    guard let object = json.object else { throw MalformedHAL(path: path, reason: "it is no object") }
    self.init()
    let prefix = path.isEmpty ? "" : path + "."
    for (name, value) in object {
      switch name {
      case Self.linksName: try readLinks(value, at: prefix + name)
      case Self.embeddedName: try readEmbedded(value, at: prefix + name)
      default: properties[name] = value
      }
    }
  }

  private mutating func readLinks(_ json: JSONValue, at path: String) throws(MalformedHAL) {
    for relation in try JSONRelation.all(in: json, at: path) {
      var links: [Link] = []
      for (json, path) in relation.elements {
        let link = try Link(rel: relation.rel, json: json, at: path)
        guard link.rel != Self.curiesRel || link.name != nil else {
          throw MalformedHAL(path: path + ".name", reason: "it is missing")
        }
        links.append(link)
      }
      if relation.isList { setLinks(links, for: relation.rel) } else { for link in links { add(link) } }
    }
  }

  private mutating func readEmbedded(_ json: JSONValue, at path: String) throws(MalformedHAL) {
    for relation in try JSONRelation.all(in: json, at: path) {
      var representations: [Representation] = []
      for (json, path) in relation.elements { representations.append(try Representation(json, at: path)) }
      embedded.set(representations, for: relation.rel, isList: relation.isList)
    }
  }

  /// The HAL document: links first, then properties, then what is embedded.
  public var json: JSONValue {
    var object = JSONObject()
    var links = JSONObject()
    if !curies.isEmpty { links[Self.curiesRel] = .array(curies.map(\.json)) }
    for (rel, values) in self.links { links[rel] = Self.json(values.map(\.json), isList: self.links.isList(rel)) }
    if !links.keys.isEmpty { object[Self.linksName] = .object(links) }
    for (name, value) in properties where name != Self.linksName && name != Self.embeddedName { object[name] = value }
    guard !embedded.isEmpty else { return .object(object) }
    var embedded = JSONObject()
    for (rel, values) in self.embedded { embedded[rel] = Self.json(values.map(\.json), isList: self.embedded.isList(rel)) }
    object[Self.embeddedName] = .object(embedded)
    return .object(object)
  }

  private static func json(_ values: [JSONValue], isList: Bool) -> JSONValue {
    guard !isList, let only = values.first else { return .array(values) }
    return only
  }

  private static let linksName = "_links"
  private static let embeddedName = "_embedded"
}

/// What stands under a relation, with the path of each.
private struct JSONRelation {
  let rel: String
  let elements: [(json: JSONValue, path: String)]
  let isList: Bool

  static func all(in json: JSONValue, at path: String) throws(MalformedHAL) -> [JSONRelation] {
    guard !json.isNull else { return [] }
    guard let object = json.object else { throw MalformedHAL(path: path, reason: "it is no object") }
    return object.filter { !$0.value.isNull }.map { rel, value in
      // A log shows it: nothing in it may end the line.
      let path = path + "." + rel.debugDescription.dropFirst().dropLast()
      guard let array = value.array else { return JSONRelation(rel: rel, elements: [(value, path)], isList: false) }
      return JSONRelation(rel: rel, elements: array.enumerated().map { ($1, "\(path)[\($0)]") }, isList: true)
    }
  }
}
