import FaradayCoding
import FaradayHAL
import Testing

@Suite struct RepresentationTests {
  private let docs = "https://docs.example.com/rels/"

  @Test(arguments: ["x", "https://docs.example.com/rels", "https://docs.example.com/rels/", "", "ea:find", "ns:find"])
  func `a URI that does not match a prefix has no CURIE, however short it is`(uri: String) {
    let known = Representation().with(curie: "ea", href: docs + "{rel}").with(curie: "broken", href: "{")
      .with(curie: "plain", href: "x")
    #expect(known.contract(uri: uri) == nil)
    #expect(Curie("a", href: "ab{rel}b").contract("ab") == nil)
  }

  @Test(arguments: ["find", "ns:find", "broken:find", "", ":"])
  func `a name without a known prefix is not a CURIE`(text: String) {
    let known = Representation().with(curie: "ea", href: docs + "{rel}").with(curie: "broken", href: "{")
    #expect(known.expand(curie: text) == nil && known.links(for: text).isEmpty && known.embedded(for: text).isEmpty)
  }

  @Test(arguments: [
    ("{rel}", "find", "find"), ("{rel}.html", "find", "find.html"), ("{rel}", "a/b", "a%2Fb"), ("{+rel}", "a/b", "a/b"),
    ("é/{rel}", "é", "%C3%A9/%C3%A9"),
  ])
  func `a CURIE and its URI convert to each other`(template: String, reference: String, rest: String) {
    let known = Representation().with(curie: "ea", href: docs + template)
    #expect(known.expand(curie: "ea:" + reference) == docs + rest)
    #expect(known.contract(uri: docs + rest) == "ea:" + reference)
  }

  @Test(arguments: ["eab:find", "e:find", "EA:find", ":find", "ea"])
  func `a prefix matches only as a whole`(curie: String) {
    #expect(Curie("ea", href: docs + "{rel}").expand(curie) == nil)
    #expect(Curie("ea", href: docs + "{rel}").expand("ea:find") == docs + "find")
  }

  @Test func `a changed prefix replaces the old one`() {
    var curie = Curie("ea", href: docs + "{rel}")
    curie.href = "{"
    #expect(curie.expand("ea:find") == nil && curie.contract(docs + "find") == nil)
    curie.href = "/{rel}"
    #expect(curie.expand("ea:find") == "/find" && curie == Curie("ea", href: "/{rel}"))
  }

  @Test func `a relation is found by CURIE and by URI`() {
    let made = Representation().with(curie: "ea", href: docs + "{rel}").with(curie: "other", href: docs + "{rel}")
      .with(rel: "ea:find", href: "/find").with(rel: docs + "admin", href: "/admin")
      .with(rel: "ea:order", embedded: Representation(properties: ["n": 1]))
    for relation in ["ea:find", "other:find", docs + "find"] { #expect(made.link(for: relation)?.href == "/find") }
    for relation in ["ea:admin", docs + "admin"] { #expect(made.link(for: relation)?.href == "/admin") }
    for relation in ["ea:order", docs + "order"] { #expect(made.embedded(for: relation).first?.properties["n"] == 1) }
    #expect(made.link(for: "find") == nil && made.link(for: docs) == nil)
  }

  @Test func `an embedded resource knows the outer prefixes, and is equal to its original`() {
    let inner = Representation().with(rel: "ea:find", href: "/find")
    let middle = Representation().with(rel: "middle", embedded: inner)
    let outer = Representation().with(curie: "ea", href: docs + "{rel}").with(rel: "a", embedded: [middle])
    let taken = outer.embedded(for: "a").first?.embedded(for: "middle").first
    #expect(inner.link(for: docs + "find") == nil && taken?.link(for: docs + "find")?.href == "/find")
    #expect(taken == inner && taken?.json == inner.json && taken?.hashValue == inner.hashValue)
  }

  @Test func `links of one relation are selected by name`() {
    let made = Representation().with(HALLink(rel: "item", href: "/1", name: "a")).with(
      HALLink(rel: "item", href: "/2", name: "b"))
    #expect(made.link(for: "item")?.href == "/1" && made.link(for: "item", name: "b")?.href == "/2")
    #expect(made.link(for: "item", name: "c") == nil && made.links(for: "item").count == 2)
  }

  @Test func `links and embedded resources can be listed and changed`() {
    var made = Representation().with(rel: "item", links: [HALLink(rel: "whatever", href: "/1")]).with(property: "a", 1)
    #expect(made.links.isList("item") && made.link(for: "item")?.rel == "item" && made.links.rels == ["item"])
    made.setLinks([], for: "item")
    #expect(made.json == ["_links": ["item": [] as JSONValue], "a": 1])
    made.embed([Representation()], for: "x")
    made.embed(Representation(), for: "y")
    #expect(made.json["_embedded"] == ["x": [[:] as JSONValue], "y": [:] as JSONValue])
  }

  @Test func `a curies link defines a prefix`() {
    var made = Representation().with(HALLink(rel: "curies", href: docs + "{rel}", name: "ea"))
    #expect(made.curies == [Curie("ea", href: docs + "{rel}")] && made.links.isEmpty)
    made.setLinks([HALLink(rel: "x", href: "/{rel}", name: "b")], for: "curies")
    #expect(made.curies == [Curie("b", href: "/{rel}")])
    #expect(made.json == ["_links": ["curies": [["name": "b", "href": "/{rel}", "templated": true] as JSONValue]]])
  }

  @Test func `a link with an expression is a template and expands`() throws {
    let link = HALLink(rel: "find", href: "/orders{?id}")
    #expect(link.isTemplated && !HALLink(rel: "a", href: "/orders?id=1").isTemplated)
    #expect(try link.expand(["id": 7]) == "/orders?id=7")
    #expect(try HALLink(rel: "a", href: "/{", isTemplated: false).expand([:]) == "/{")
    #expect(throws: URITemplateError.self) { try HALLink(rel: "a", href: "/{").expand([:]) }
  }
}
