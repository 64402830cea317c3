public import FaradayCoding

extension Representation {
  /// Parses a HAL document. Malformed links throw ``HALError`` with their path; a null counts as absent, and unknown
  /// members of a link are dropped. Representations embedded more than 64 levels deep are an error.
  public init(json: JSONValue) throws(HALError) {
    do throws(HALProblem) { try self.init(json, depth: 0) } catch { throw HALError(error) }
  }

  private init(_ json: JSONValue, depth: Int) throws(HALProblem) {
    guard depth <= Self.maximumDepth else {
      throw HALProblem(path: "", reason: "it is more than \(Self.maximumDepth) levels deep")
    }
    guard let object = json.object else { throw HALProblem(path: "", reason: "it is not an object") }
    self.init()
    for (name, value) in object {
      do throws(HALProblem) {
        switch name {
        case Self.linksName: try readLinks(value)
        case Self.embeddedName: try readEmbedded(value, depth: depth)
        default: properties[name] = value
        }
      } catch {
        throw error.inside(name)
      }
    }
  }

  private mutating func readLinks(_ json: JSONValue) throws(HALProblem) {
    for relation in try JSONRelation.all(in: json) {
      let links = try relation.values { json throws(HALProblem) in
        let link = try HALLink(rel: relation.rel, json: json)
        guard link.rel != Self.curiesRel || link.name != nil else { throw HALProblem(path: "name", reason: "it is missing") }
        return link
      }
      if relation.isList { setLinks(links, for: relation.rel) } else { for link in links { add(link) } }
    }
  }

  private mutating func readEmbedded(_ json: JSONValue, depth: Int) throws(HALProblem) {
    for relation in try JSONRelation.all(in: json) {
      let inner = try relation.values { json throws(HALProblem) in try Representation(json, depth: depth + 1) }
      embedded.set(inner, for: relation.rel, isList: relation.isList)
    }
  }

  /// The maximum depth: parsing is recursive, and a thread may have only 512 KiB of stack.
  private static let maximumDepth = 64

  /// The HAL document as JSON: links first, then properties, then embedded representations.
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

/// The values of a relation.
private struct JSONRelation {
  let rel: String
  let elements: [JSONValue]
  let isList: Bool

  static func all(in json: JSONValue) throws(HALProblem) -> [JSONRelation] {
    guard !json.isNull else { return [] }
    guard let object = json.object else { throw HALProblem(path: "", reason: "it is not an object") }
    return object.filter { !$0.value.isNull }.map { rel, value in
      JSONRelation(rel: rel, elements: value.array ?? [value], isList: value.array != nil)
    }
  }

  func values<Value>(_ read: (JSONValue) throws(HALProblem) -> Value) throws(HALProblem) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(HALProblem) {
        values.append(try read(element))
      } catch {
        // A log shows the name: it must not contain a line break.
        let name = rel.debugDescription.dropFirst().dropLast()
        throw error.inside(isList ? "\(name)[\(index)]" : String(name))
      }
    }
    return values
  }
}
