import FaradayCoding
import FaradayHAL
import Testing

@Suite struct LookupTests {
  private let order = Representation(properties: ["total": 30, "note": nil]).with(rel: "self", href: "/orders/1")
    .with(rel: "items", links: [HALLink(rel: "items", href: "/items/1"), HALLink(rel: "items", href: "/items{?page}")])

  @Test func `a missing or null property has the default`() {
    #expect(order.value(for: "total", default: 0) == 30)
    #expect(order.value(for: "note", default: "none") == "none" && order.value(for: "tax", default: 0.5) == 0.5)
  }

  @Test func `a link is found by its target`() {
    #expect(order.link(href: "/items/1")?.rel == "items" && order.link(href: "/items{?page}")?.isTemplated == true)
    #expect(order.link(href: "/orders/1") == order.selfLink && order.link(href: "items") == nil)
  }

  @Test func `the document is a string`() throws {
    let text = try order.jsonString()
    #expect(text.hasPrefix(#"{"_links":{"self":{"href":"/orders/1"},"items":["#) && text.hasSuffix(#""total":30,"note":null}"#))
    #expect(try order.jsonString(.prettyPrinted).contains("\n") && Representation(json: JSONValue(text: text)) == order)
    #expect(throws: EncodingError.self) { try Representation(properties: ["n": JSONValue.double(.nan)]).jsonString() }
  }
}
