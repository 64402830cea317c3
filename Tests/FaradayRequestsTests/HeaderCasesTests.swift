import FaradayCore
import FaradayRequests
import Testing

/// What Requests had types of its own for: here they are those of swift-http-types.
@Suite struct HeaderCasesTests {
  @Test func `RQ-14, RQ-17 and RQ-18 names are equal whatever their case`() {
    #expect(HTTPField.Name("X-Key") == HTTPField.Name("x-KEY"))
    #expect(HTTPField.Name("X-Key")?.hashValue == HTTPField.Name("x-key")?.hashValue)
    #expect(HTTPField.Name("X-Key")?.rawName == "X-Key")
  }

  @Test func `RQ-15 and RQ-16 a field is its name and its value`() {
    let field = HTTPField.accept(.json)
    #expect(field == HTTPField(name: .accept, value: "application/json"))
    #expect(field != HTTPField(name: .accept, value: "text/plain"))
    #expect((field.name, field.value) == (.accept, "application/json"))
  }

  @Test func `RQ-19 methods match in a switch and in a guard`() {
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

  @Test func `RQ-20 and RQ-27 fields come from a literal and from a list`() {
    let literal: HTTPFields = [.accept: "a", .acceptLanguage: "b"]
    let list = HTTPFields([.init(name: .accept, value: "a"), .init(name: .acceptLanguage, value: "b")])
    #expect(literal == list)
    #expect(literal.map(\.value) == ["a", "b"])
    #expect(!literal.isEmpty && HTTPFields().isEmpty)
  }

  @Test func `RQ-21 and RQ-22 fields of one name stay apart and are read as one`() {
    var headers: HTTPFields = [.accept: "a"]
    headers.append(.init(name: .accept, value: "b"))
    #expect(headers[.accept] == "a, b")
    #expect(headers[values: .accept] == ["a", "b"])
  }

  @Test func `RQ-23 setting is adding or replacing`() {
    var headers: HTTPFields = [:]
    headers[.accept] = "a"
    headers[.accept] = "b"
    #expect(headers[values: .accept] == ["b"])
  }

  @Test func `RQ-24 a field that is removed is gone with all its values, and the others stay`() {
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

  @Test func `RQ-25 fields say whether they have one of that name`() {
    let headers: HTTPFields = [.accept: "a"]
    #expect(headers.contains(.accept) && !headers.contains(.cookie))
  }

  @Test func `RQ-26 all fields become a dictionary, repeated ones as one`() {
    var headers: HTTPFields = [.accept: "a", .acceptLanguage: "b"]
    headers.append(.init(name: .accept, value: "c"))
    let dictionary = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    #expect(dictionary == [.accept: "a, c", .acceptLanguage: "b"])
    #expect(dictionary.allSatisfy { headers[$0.key] == $0.value })
  }
}
