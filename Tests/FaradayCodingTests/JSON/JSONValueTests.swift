import FaradayCoding
import FaradayCore
import FoundationEssentials
import Testing

@Suite struct JSONValueTests {
  private let value: JSONValue = [
    "null": nil, "yes": true, "one": 1, "half": 0.5, "text": "a", "list": [1, "b", [:] as JSONValue] as JSONValue,
    "inner": ["deep": [nil] as JSONValue],
  ]

  // MARK: looking in

  @Test func `absent members and members of other types are nil`() {
    #expect(value["none"] == nil && value["one"]?["x"] == nil && value["list"]?["0"] == nil && value["text"]?[0] == nil)
    #expect(value["list"]?[3] == nil && value["list"]?[-1] == nil)
    #expect(value["text"]?.int == nil && value["one"]?.string == nil && value["yes"]?.double == nil && value["one"]?.bool == nil)
    #expect(value["half"]?.int == nil && value["null"]?.array == nil && value["list"]?.object == nil && value.number == nil)
    #expect(value["one"]?.isNull == false)
  }

  @Test func `existing members are returned`() {
    #expect(value["null"]?.isNull == true && value["yes"]?.bool == true && value["one"]?.int == 1 && value["one"]?.double == 1)
    #expect(value["half"]?.double == 0.5 && value["text"]?.string == "a" && value["list"]?[1]?.string == "b")
    #expect(value["list"]?.array?.count == 3 && value["inner"]?["deep"]?[0]?.isNull == true)
    #expect(value.object?.keys == ["null", "yes", "one", "half", "text", "list", "inner"])
  }

  // MARK: equality

  @Test func `values are equal by content, in any order of members`() throws {
    let same = try JSONValue(text: #"{"b":[1.0,{"x":1,"y":2}],"a":null}"#)
    let other = try JSONValue(text: #"{"a":null,"b":[1,{"y":2e0,"x":1}]}"#)
    #expect(same == other && same.hashValue == other.hashValue)
    #expect(same.object == other.object && Set([same, other]).count == 1)
  }

  @Test(arguments: [
    ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":1}"#),
    (#"{"a":1}"#, #"{"a":1,"b":1}"#),
    ("null", "false"), ("0", "false"), ("1", "\"1\""), ("[]", "{}"), (#"[[[{"a":[0]}]]]"#, #"[[[{"a":[1]}]]]"#),
    ("true", "false"),
  ])
  func `values that differ anywhere are not equal`(left: String, right: String) throws {
    #expect(try JSONValue(text: left) != JSONValue(text: right))
  }

  // MARK: members

  @Test func `members keep their order and can be removed`() {
    var object: JSONObject = ["b": 1, "a": 2, "b": 3]
    #expect(object.keys == ["b", "a"] && object["b"] == 3)
    object["b"] = nil
    object["none"] = nil
    object["c"] = .null
    #expect(object.keys == ["a", "c"] && object["b"] == nil && object["c"] == .null && !object.isEmpty)
  }

  @Test func `many members behave like few`() {
    var object = JSONObject((0..<100).map { ("m\($0)", .int($0)) })
    #expect(object.count == 100 && (0..<100).allSatisfy { object["m\($0)"] == .int($0) } && object["m100"] == nil)
    object["m50"] = "changed"
    object["m100"] = 100
    for place in stride(from: 0, to: 100, by: 2) where place != 50 { object["m\(place)"] = nil }
    #expect(
      object.count == 52 && object["m50"] == "changed" && object["m99"] == 99 && object["m100"] == 100 && object["m0"] == nil)
    for place in stride(from: 1, to: 100, by: 2) { object["m\(place)"] = nil }
    #expect(object == ["m100": 100, "m50": "changed"] && object.keys == ["m50", "m100"])
    #expect(object.map(\.value) == ["changed", 100])
  }

  // MARK: coders

  @Test func `a value survives the round trip through any coder`() throws {
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    var listed = value.object ?? [:]
    // A property list has no null.
    listed["null"] = nil
    listed["inner"] = nil
    let data = try PropertyListEncoder().encode(JSONValue.object(listed))
    #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == .object(listed))
  }

  struct Event: Codable, Equatable {
    let id: Int
    let details: JSONValue
  }

  @Test func `a type can have untyped members`() async throws {
    let data = Data(#"{"id":7,"details":{"big":18446744073709551615,"small":-1,"part":0.1,"tags":["a",null,true]}}"#.utf8)
    let event = try JSONDecoder().decode(Event.self, from: data)
    let details: JSONValue = ["big": UInt64.max, "small": -1, "part": 0.1, "tags": ["a", nil, true] as JSONValue]
    #expect(event == Event(id: 7, details: details))
    #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
    for number in ["1e400", "[1, -1e999]", #"{"a": 1e400}"#] {
      let large = Response(
        status: .ok, body: .text(#"{"id":7,"details":\#(number)}"#), url: try #require(URL(string: "http://host/")))
      let error = await #expect(throws: BodyDecodingError.self) { try await large.decode(Event.self) }
      #expect(error?.path.hasPrefix("details") == true)
      #expect(error.map { "\($0)" }?.hasSuffix("is a number that a Double cannot represent") == true)
    }
    let huge = Event(id: 1, details: try JSONValue(text: "1e999"))
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(huge) }
  }

  @Test func `key strategies do not rename the members of untyped JSON`() throws {
    let text = #"{"event_id":7,"details":{"user_id":1,"userId":2,"deepPart":[{"a_b":null}]}}"#
    struct Call: Codable, Equatable {
      var eventId: Int
      var details: JSONValue
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let call = try decoder.decode(Call.self, from: Data(text.utf8))
    #expect(call.details == (try JSONValue(text: text))["details"])
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    #expect(try JSONValue(data: encoder.encode(call)) == JSONValue(text: text))
  }
}
