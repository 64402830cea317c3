import Faraday
import Testing

/// Types that Requests defined itself. Here they are the types of swift-http-types.
@Suite struct HeaderCasesTests {
  @Test func `RQ-14, RQ-17, RQ-18: field names are case-insensitive`() {
    #expect(HTTPField.Name("X-Key") == HTTPField.Name("x-KEY"))
    #expect(HTTPField.Name("X-Key")?.hashValue == HTTPField.Name("x-key")?.hashValue)
    #expect(HTTPField.Name("X-Key")?.rawName == "X-Key")
  }

  @Test func `RQ-15, RQ-16: a field has a name and a value`() {
    let field = HTTPField.accept(.json)
    #expect(field == HTTPField(name: .accept, value: "application/json"))
    #expect(field != HTTPField(name: .accept, value: "text/plain"))
    #expect((field.name, field.value) == (.accept, "application/json"))
  }

  @Test func `RQ-19: methods match in a switch and in a guard`() {
    func name(_ method: HTTPRequest.Method) -> String {
      guard case .get = method else {
        switch method {
        case .post: return "post"
        default: return "other"
        }
      }
      return "get"
    }
    #expect([name(.get), name(.post), name(.put)] == ["get", "post", "other"])
  }

  @Test func `RQ-20, RQ-27: fields are made from a literal and from an array`() {
    let literal: HTTPFields = [.accept: "a", .acceptLanguage: "b"]
    let list = HTTPFields([.init(name: .accept, value: "a"), .init(name: .acceptLanguage, value: "b")])
    #expect(literal == list)
    #expect(literal.map(\.value) == ["a", "b"])
    #expect(!literal.isEmpty && HTTPFields().isEmpty)
  }

  @Test func `RQ-21, RQ-22: fields of one name are kept apart and read as one value`() {
    var headers: HTTPFields = [.accept: "a"]
    headers.append(.init(name: .accept, value: "b"))
    #expect(headers[.accept] == "a, b")
    #expect(headers[values: .accept] == ["a", "b"])
  }

  @Test func `RQ-23: setting a field adds or replaces it`() {
    var headers: HTTPFields = [:]
    headers[.accept] = "a"
    headers[.accept] = "b"
    #expect(headers[values: .accept] == ["b"])
  }

  @Test func `RQ-24: removing a field removes all its values and no other field`() {
    var headers: HTTPFields = [.accept: "a", .acceptLanguage: "b", .accept: "c"]
    let before = headers
    #expect(headers[.cookie] == nil)
    headers[.cookie] = nil
    #expect(headers == before)
    let removed = headers[.accept]
    headers[.accept] = nil
    #expect(removed == "a, c" && headers[.accept] == nil)
    #expect(headers == [.acceptLanguage: "b"])
  }

  @Test func `RQ-25: fields can be searched by name`() {
    let headers: HTTPFields = [.accept: "a"]
    #expect(headers.contains(.accept) && !headers.contains(.cookie))
  }

  @Test func `RQ-26: fields convert to a dictionary, repeated ones joined`() {
    var headers: HTTPFields = [.accept: "a", .acceptLanguage: "b"]
    headers.append(.init(name: .accept, value: "c"))
    let dictionary = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    #expect(dictionary == [.accept: "a, c", .acceptLanguage: "b"])
    #expect(dictionary.allSatisfy { headers[$0.key] == $0.value })
  }
}
