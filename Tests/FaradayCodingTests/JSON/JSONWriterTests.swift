import FaradayCoding
import FoundationEssentials
import Testing

@Suite struct JSONWriterTests {
  private let value: JSONValue = [
    "b": [1, ["c": nil] as JSONValue, [] as JSONValue, [:] as JSONValue] as JSONValue, "a": "x/y", "é": true,
  ]

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is an error with its path`(number: Double) {
    let value: JSONValue = ["a": [1, ["b": number] as JSONValue] as JSONValue]
    let error = #expect(throws: EncodingError.self) { try value.data() }
    guard case .invalidValue(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["a", "1", "b"])
    #expect("\(value)" == "(a number in it is not finite)")
  }

  @Test func `members are written in order of insertion on one line`() throws {
    #expect(try value.text() == #"{"b":[1,{"c":null},[],{}],"a":"x/y","é":true}"#)
    #expect("\(value)" == #"{"b":[1,{"c":null},[],{}],"a":"x/y","é":true}"#)
  }

  @Test func `members can be sorted by the bytes of their names`() throws {
    let value: JSONValue = ["b": 1, "é": 2, "B": 3, "": 4, "aa": ["z": 1, "y": 2], "a": 5, "\u{FFFF}": 6, "😀": 7]
    #expect(
      try value.text(.sortedKeys) == "{\"\":4,\"B\":3,\"a\":5,\"aa\":{\"y\":2,\"z\":1},\"b\":1,\"é\":2,\"\u{FFFF}\":6,\"😀\":7}")
  }

  @Test func `names are sorted by bytes and not by appearance`() throws {
    #expect(try JSONValue(text: "{\"f\":1,\"e\u{301}\":2}").text(.sortedKeys) == "{\"e\u{301}\":2,\"f\":1}")
  }

  @Test func `each value can be written on its own line`() throws {
    let text = """
      {
        "a": "x/y",
        "b": [
          1,
          {
            "c": null
          },
          [],
          {}
        ],
        "é": true
      }
      """
    #expect(try value.text([.prettyPrinted, .sortedKeys]) == text)
    #expect(try (1 as JSONValue).text(.prettyPrinted) == "1" && ([] as JSONValue).text(.prettyPrinted) == "[]")
  }

  @Test func `only quotes, backslashes and control characters are escaped`() throws {
    let text = String(String.UnicodeScalarView((0...0x7F).compactMap { Unicode.Scalar($0) })) + "\u{2028}é😀"
    let written = try JSONValue.string(text).text()
    #expect(try JSONValue(text: written).string == text)
    #expect(written.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#))
    #expect(
      written.contains(##"\u001f !\"#$%&'()*+,-./0"##) && written.contains(#"[\\]"#) && written.hasSuffix("~\u{7F}\u{2028}é😀\""))
    #expect(try JSONDecoder().decode(String.self, from: Data(written.utf8)) == text)
  }

  @Test func `JSON in a string interpolation is its text`() throws {
    let name = "Ada"
    let value: JSONValue = ["greeting": "Hello, \(name)", "n": 3]
    #expect("sent \(value)" == #"sent {"greeting":"Hello, Ada","n":3}"#)
  }
}
