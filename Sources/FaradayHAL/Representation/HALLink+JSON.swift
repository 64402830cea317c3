internal import FaradayCoding

extension HALLink {
  init(rel: String, json: JSONValue) throws(HALProblem) {
    guard let object = json.object else { throw HALProblem(path: "", reason: "it is not an object") }
    func text(_ name: String) throws(HALProblem) -> String? {
      guard let value = object[name], !value.isNull else { return nil }
      guard let text = value.string else { throw HALProblem(path: name, reason: "it is not a string") }
      return text
    }
    guard let href = try text("href") else { throw HALProblem(path: "href", reason: "it is missing") }
    self.init(
      // By the draft any value other than true means false.
      rel: rel, href: href, isTemplated: object["templated"]?.bool ?? false, name: try text("name"), title: try text("title"),
      hreflang: try text("hreflang"), profile: try text("profile"), type: try text("type"),
      deprecation: try text("deprecation"))
  }

  var json: JSONValue {
    var object: JSONObject = ["href": href]
    if isTemplated { object["templated"] = true }
    let rest = [
      ("type", type), ("deprecation", deprecation), ("name", name), ("profile", profile), ("title", title),
      ("hreflang", hreflang),
    ]
    for case (let name, let value?) in rest { object[name] = .string(value) }
    return .object(object)
  }
}

extension Curie {
  var json: JSONValue { ["href": href, "templated": true, "name": name] }
}
