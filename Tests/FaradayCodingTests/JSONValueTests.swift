import FaradayCoding
import FoundationEssentials
import Testing

@Suite struct JSONValueTests {
  @Test func `a value is what it was after encoding and decoding`() throws {
    let value: JSONValue = [
      "null": nil, "yes": true, "one": 1, "half": 0.5, "text": "a", "list": [1, "b", [:]], "inner": ["deep": [nil]],
    ]
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test func `members keep their order, and go`() {
    var object: JSONObject = ["b": 1, "a": 2, "b": 3]
    #expect(object.keys == ["b", "a"] && object["b"] == 3)
    object["b"] = nil
    object["c"] = .null
    #expect(object.keys == ["a", "c"] && object["b"] == nil && object["c"] == .null)
  }
}
