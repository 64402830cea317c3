import FaradayCoding
import FaradayHAL
import FoundationEssentials
import Testing

@Suite struct RepresentationJSONTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(text: text) }

  @Test(arguments: [
    ("[]", "", "it is not an object"), ("null", "", "it is not an object"), (#"{"_links": 1}"#, "_links", "it is not an object"),
    (#"{"_links": {"a\n\u001b": 1}}"#, #"_links.a\n\u{1B}"#, "it is not an object"),
    (#"{"_links": {"next": "/a"}}"#, "_links.next", "it is not an object"),
    (#"{"_links": {"next": [{"href": "/a"}, null]}}"#, "_links.next[1]", "it is not an object"),
    (#"{"_links": {"next": [{"href": "/a"}, {"title": "secret"}]}}"#, "_links.next[1].href", "it is missing"),
    (#"{"_links": {"self": {"href": null}}}"#, "_links.self.href", "it is missing"),
    (#"{"_links": {"self": {"href": 1}}}"#, "_links.self.href", "it is not a string"),
    (#"{"_links": {"self": {"href": "/a", "title": ["secret"]}}}"#, "_links.self.title", "it is not a string"),
    (#"{"_links": {"curies": [{"href": "/{rel}"}]}}"#, "_links.curies[0].name", "it is missing"),
    (#"{"_embedded": []}"#, "_embedded", "it is not an object"),
    (#"{"_embedded": {"a": [1]}}"#, "_embedded.a[0]", "it is not an object"),
    (#"{"_embedded": {"ea:order": [{}, {"_links": {"self": {}}}]}}"#, "_embedded.ea:order[1]._links.self.href", "it is missing"),
    (#"{"_embedded": {"a": {"_embedded": {"b": {"_links": []}}}}}"#, "_embedded.a._embedded.b._links", "it is not an object"),
  ])
  func `a malformed document is an error with its position and without values`(text: String, path: String, reason: String) throws
  {
    let json = try json(text)
    let error = #expect(throws: HALError.self) { try Representation(json: json) }
    #expect(error?.reason == .notHAL(path: path, problem: reason) && error?.request == nil)
    #expect(error.map { "\($0)" } == "not HAL\(path.isEmpty ? "" : " at \(path)"): \(reason)")
  }

  @Test func `null means absent, and unknown link members are dropped`() throws {
    let read = try Representation(
      json: json(
        """
        {"_links": {"self": {"href": "/", "title": null, "method": "GET", "templated": "yes"}, "next": null},
         "_embedded": null, "none": null}
        """))
    #expect(read == Representation(properties: ["none": nil]).with(rel: "self", href: "/"))
    #expect(read.links.rels == ["self"] && read.properties.keys == ["none"])
  }

  @Test func `model: an empty representation is an empty object`() throws {
    #expect(Representation().json == [:])
    #expect(try Representation(json: [:]) == Representation())
    #expect(try Representation(json: ["_links": [:] as JSONValue, "_embedded": [:] as JSONValue]).json == [:])
  }

  @Test func `model: a representation can link to itself`() throws {
    let json: JSONValue = ["_links": ["self": ["href": "https://example.com/api"]]]
    #expect(Representation().with(rel: "self", href: "https://example.com/api").json == json)
    #expect(try Representation(json: json).selfLink == HALLink(rel: "self", href: "https://example.com/api"))
  }

  private let customer = """
    {"_links": {
       "self": {"href": "https://example.com/api/customer/123456"},
       "curies": [{"name": "ns", "href": "https://example.com/apidocs/ns/{rel}", "templated": true},
                  {"name": "role", "href": "https://example.com/apidocs/roles/{rel}", "templated": true}],
       "ns:parent": {"href": "https://example.com/api/customer/1234", "name": "bob", "title": "The Parent", "hreflang": "en",
                     "profile": "https://example.com/p", "type": "application/hal+json", "deprecation": "https://example.com/d"},
       "ns:users": {"href": "https://example.com/api/customer/123456{?users*}", "templated": true}},
     "age": 33, "expired": false, "id": 123456, "name": "Example Resource", "nullprop": null, "optional": true, "rate": 0.5,
     "tags": ["a", {"b": []}],
     "_embedded": {
       "ns:user role:admin": {"_links": {"self": {"href": "https://example.com/user/11"}}, "id": 11, "name": "Example User"},
       "ns:order": [{"total": 30}, {"total": 20, "_embedded": {"item": [{}]}}]}}
    """

  @Test func `model: a whole customer is unchanged by reading and writing`() throws {
    let json = try json(customer)
    let read = try Representation(json: json)
    #expect(read.json == json)
    #expect(try Representation(json: read.json) == read)
    let parent = HALLink(
      rel: "ns:parent", href: "https://example.com/api/customer/1234", name: "bob", title: "The Parent", hreflang: "en",
      profile: "https://example.com/p", type: "application/hal+json", deprecation: "https://example.com/d")
    #expect(read.link(for: "ns:parent") == parent && read.link(for: "ns:users")?.isTemplated == true)
    #expect(read.curies.map(\.name) == ["ns", "role"] && read.properties["tags"]?[1]?["b"] == [])
    #expect(read.embedded["ns:order"].map { $0.properties["total"] } == [30, 20])
  }

  @Test func `one value is an object, several are a list, and a parsed list stays a list`() throws {
    let links: JSONValue = [
      "a": ["href": "/1"], "b": [["href": "/1"], ["href": "/2"], ["href": "/3"]], "c": [["href": "/1"]], "d": [] as JSONValue,
    ]
    let embedded: JSONValue = ["a": ["n": 1], "b": [["n": 1], ["n": 2]], "c": [["n": 1]], "d": [] as JSONValue]
    let json: JSONValue = ["_links": links, "_embedded": embedded]
    var read = try Representation(json: json)
    #expect(read.json == json)
    read.add(HALLink(rel: "a", href: "/2"))
    read.add(HALLink(rel: "d", href: "/1"))
    #expect(read.json["_links"]?["a"] == [["href": "/1"], ["href": "/2"]] && read.json["_links"]?["d"] == [["href": "/1"]])
    read.removeLinks(for: "a")
    read.removeEmbedded(for: "b")
    #expect(read.links.rels.sorted() == ["b", "c", "d"] && read.embedded.rels.sorted() == ["a", "c", "d"])
  }

  @Test func `members keep their order of insertion`() throws {
    let json: JSONValue = [
      "_links": ["z": ["href": "/"], "a": ["href": "/"], "m": ["href": "/"]] as JSONValue, "y": 1, "b": 2,
      "_embedded": ["k": [:] as JSONValue, "c": [:] as JSONValue] as JSONValue,
    ]
    let read = try Representation(json: json)
    #expect(read.links.rels == ["z", "a", "m"] && read.properties.keys == ["y", "b"] && read.embedded.rels == ["k", "c"])
    #expect(read.json.object?.keys == ["_links", "y", "b", "_embedded"])
    #expect(read.json["_links"]?.object?.keys == ["z", "a", "m"])
  }

  @Test func `HAL's own members are not properties`() {
    let made = Representation(properties: ["_links": 1, "_embedded": 2, "a": 3])
    #expect(made.json == ["a": 3])
  }

  struct Order: Codable, Equatable { var total: Int, currency: String? = nil }

  @Test func `properties decode to a type, or the error names the property`() throws {
    let read = try Representation(json: ["_links": ["self": ["href": "/"]], "total": "hidden"])
    let error = #expect(throws: BodyDecodingError.self) { try read.decode(Order.self) }
    #expect(error.map { "\($0)" } == "cannot decode Order from the representation's properties: `total` is not of type Int")
    #expect(throws: BodyDecodingError.self) { try Representation(properties: ["total": Double.nan]).decode(Order.self) }
    #expect(try Representation(properties: ["total": 30, "more": [] as JSONValue]).decode(Order.self) == Order(total: 30))
  }

  @Test func `a value is encoded as properties`() throws {
    #expect(throws: HALError.self) { try Representation(encoding: [1]) }
    let made = try Representation(encoding: Order(total: 30, currency: "USD")).with(rel: "self", href: "/orders/1")
    #expect(made.json == ["_links": ["self": ["href": "/orders/1"]], "total": 30, "currency": "USD"])
  }
}
