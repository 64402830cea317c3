import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct TypedRequestTests {
  let request = TypedRequest(baseURL: "https://example.com/api", endpoint: "do")

  @Test func `a modifier returns a changed copy`() {
    let changed = request.using(method: .delete).adding(queryItem: .init("a", "1")).adding(headerField: .accept(.json))
    #expect(request.method == .get && request.query.items.isEmpty && request.headers.isEmpty)
    #expect(changed.method == .delete)
  }

  @Test func `receiving keeps all properties of the request`() throws {
    let seen = Log<String>()
    let changed = request.using(method: .put).adding(headerField: .acceptLanguage("cy")).adding(queryItem: .init("a", "1"))
      .sending(.text("x")).authorized(with: .bearer("t")).timeout(after: .seconds(9)).validating(.any)
      .configured { _ in seen.append("configured") }
      .receiving(.text)
    let made = try changed.request()
    #expect((made.method, made.url.absoluteString) == (.put, "https://example.com/api/do?a=1"))
    #expect(made.headers[.acceptLanguage] == "cy" && made.headers[.authorization] == "Bearer t")
    #expect(made.body.data == Data("x".utf8))
    #expect(made.options.timeouts.total == .seconds(9))
    #expect(seen.elements == ["configured"])
    try changed.responseValidator.validate(Response(status: .notFound, url: made.url), to: made)
  }

  @Test func `RQ-45: using replaces the method`() { #expect(request.using(method: .trace).method == .trace) }

  @Test func `RQ-46: with replaces all header fields`() {
    #expect(request.adding(headerField: .accept(.json)).with(headers: [.cookie: "a"]).headers == [.cookie: "a"])
  }

  @Test func `RQ-47: adding appends header fields, setting replaces them`() {
    let one = request.adding(headerField: .acceptLanguage("a"))
    #expect(one.adding(headerField: .acceptLanguage("b")).headers[values: .acceptLanguage] == ["a", "b"])
    #expect(one.setting(headerField: .acceptLanguage("b")).headers[values: .acceptLanguage] == ["b"])
    #expect(request.setting(headerField: .acceptLanguage("b")).headers[values: .acceptLanguage] == ["b"])
    let fields = [HTTPField.accept(.json), .contentType(.json)]
    #expect(request.adding(headerFields: fields).headers == HTTPFields(fields))
    #expect(request.adding(headerFields: .accept(.json), .contentType(.json)).headers == HTTPFields(fields))
  }

  @Test func `RQ-48: with replaces the query, adding appends items in order and repeats names`() {
    let one = request.with(query: ["a": "1"])
    #expect(one.adding(queryItem: .init("a", "2")).query == ["a": "1", "a": "2"])
    #expect(one.adding(queryItems: [.init("b", nil), .init("a", "3")]).query == ["a": "1", "b": nil, "a": "3"])
    #expect(one.adding(queryItems: .init("b", nil)).query == ["a": "1", "b": nil])
    #expect(one.with(query: ["c": "4"]).query == ["c": "4"])
  }

  @Test func `RQ-49: sending sets the body`() throws {
    #expect(try request.sending(.text("x")).request().body.data == Data("x".utf8))
  }

  @Test func `RQ-51: authenticated sets the credentials`() throws {
    #expect(try request.authorized(with: .bearer("t")).request().headers[.authorization] == "Bearer t")
  }
}
