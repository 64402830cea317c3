import FaradayCoding
import FaradayCore
import Testing

/// Literals of untyped JSON that have variables in them.
@Suite struct JSONLiteralTests {
  @Test func `variables of all kinds can appear in a literal, in its order`() throws {
    let (name, n, big, ratio, isNew) = ("Ada", 36, UInt64.max, 0.5, true)
    let (nick, age, tags): (String?, Int?, [String]) = (nil, 7, ["a", "b"])
    let body =
      ["name": name, "n": n, "big": big, "ratio": ratio, "new": isNew, "nick": nick, "age": age, "tags": tags] as JSONValue
    #expect(
      try body.text()
        == #"{"name":"Ada","n":36,"big":18446744073709551615,"ratio":0.5,"new":true,"nick":null,"age":7,"tags":["a","b"]}"#)
    #expect(try ([name, n, nil, tags, [nick]] as JSONValue).text() == #"["Ada",36,null,["a","b"],[null]]"#)
  }

  @Test func `a nested JSON object keeps its order, and a dictionary is sorted`() throws {
    let (zip, city) = (12, "Aber")
    #expect(try (["a": ["zip": zip, "city": city] as JSONValue] as JSONValue).text() == #"{"a":{"zip":12,"city":"Aber"}}"#)
    #expect(try (["a": ["z": 1, "y": 2]] as JSONValue).text() == #"{"a":{"y":2,"z":1}}"#)
    let object: JSONObject = ["b": city, "a": zip, "b": nil]
    #expect(try object.jsonValue.text() == #"{"b":null,"a":12}"#)
  }

  @Test func `a custom type defines its JSON`() throws {
    enum Unit: String, JSONConvertible {
      case metre
      var jsonValue: JSONValue { .string(rawValue) }
    }
    #expect(try (["unit": Unit.metre, "all": [Unit.metre]] as JSONValue).text() == #"{"unit":"metre","all":["metre"]}"#)
  }

  @Test func `an unencodable value is an error and does not trap`() {
    #expect(throws: EncodingError.self) { try (["a": Double.nan] as JSONValue).text() }
  }
}
