import FaradayCoding
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct JSONParserTests {
  // MARK: Errors and their positions

  @Test(
    arguments: [
      ("", .unexpectedEnd, 0), (" \n", .unexpectedEnd, 2), ("[1", .unexpectedEnd, 2), (#"{"a""#, .unexpectedEnd, 4),
      (#"{"a":"#, .unexpectedEnd, 5), (#""ab"#, .unexpectedEnd, 3), (#""a\"#, .unexpectedEnd, 3), (#""\u00"#, .unexpectedEnd, 5),
      (#""\uD83D"#, .unexpectedEnd, 7), ("tru", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2),
      ("1e+", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), ("[1,", .unexpectedEnd, 3), ("[1,]", .expectedValue, 3),
      ("trux", .expectedValue, 0),
      ("'a'", .expectedValue, 0), ("{1:2}", .expectedName, 1), (#"{"a":1,}"#, .expectedName, 7), (#"{"a" 1}"#, .expectedColon, 5),
      ("[1 2]", .expectedComma, 3),
      ("[1}", .expectedComma, 2), (#"{"a":1]"#, .expectedComma, 6), ("1 2", .trailingContent, 2), ("[]]", .trailingContent, 2),
      ("01", .invalidNumber, 1),
      ("-a", .invalidNumber, 1), ("1.e2", .invalidNumber, 2), ("1ex", .invalidNumber, 2), ("\"a\u{1}\"", .controlCharacter, 2),
      ("\"\\na\n\"", .controlCharacter, 4), (#""a\x""#, .invalidEscape, 2), (#""a\u12G4""#, .invalidEscape, 2),
      (#""a\uD83Dx""#, .loneSurrogate, 2), (#""a\uD83D\n""#, .loneSurrogate, 2), (#""a\uD83D\u0041""#, .loneSurrogate, 2),
      (#""a\uDE00""#, .loneSurrogate, 2),
    ] as [(String, JSONError.Reason, Int)])
  func `an error has its reason and position`(text: String, reason: JSONError.Reason, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(text: text) }
    #expect(error?.reason == reason && error?.offset == offset, "\(text): \(String(describing: error))")
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1],
      [0xE2, 0x82, 0x28],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x28, 0x80],
      [0xF0, 0x9F, 0x98, 0x28], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE],
      [0xFF],
    ] as [[UInt8]])
  func `invalid UTF-8 is an error at its first byte`(wrong: [UInt8]) {
    for before in ["", "ü", "abcdefghijklmnop€😀", #"\n"#] {
      for escape in ["", #"\t"#] {
        let data = Data("[\"\(before)".utf8) + Data(wrong) + Data("\(escape)\"]".utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue(data: data) }
        #expect(error?.reason == .invalidUTF8 && error?.offset == 2 + before.utf8.count)
      }
    }
  }

  @Test(arguments: ["\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"])
  func `the first and last characters of each UTF-8 length are accepted`(character: String) throws {
    #expect(try JSONValue(text: "\"\(character)\"").string == character)
    #expect(try JSONValue(text: "\"\\n\(character)\\n\"").string == "\n\(character)\n")
  }

  @Test(arguments: [
    ("[\n  1,\n  x]", 3, 3), ("[\r\n  1,\r\n  x]", 3, 3), ("[\r  1,\r  x]", 3, 3), ("[\n\r\n\rx]", 4, 1), ("[\"ü€😀\" x]", 1, 8),
    ("x", 1, 1), ("", 1, 1), ("[\n", 2, 1),
  ])
  func `an error has its line and column`(text: String, line: Int, column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(text: text) }
    #expect(error?.line == line && error?.column == column)
  }

  @Test func `an error quotes nothing of the text`() {
    let error = #expect(throws: JSONError.self) { try JSONValue(text: #"{"password": "hunter2" hunter3}"#) }
    #expect(
      error.map { "\($0)" }
        == "invalid JSON at line 1, column 24 (byte 23): expected ',' or the closing bracket")
  }

  // MARK: Undefined by the standard

  @Test func `a byte order mark is skipped once at the beginning`() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try JSONValue(data: Data(mark) + Data("[1]".utf8)) == [1])
    #expect(throws: JSONError.self) { try JSONValue(data: Data(mark + mark) + Data("[1]".utf8)) }
    #expect(throws: JSONError.self) { try JSONValue(data: Data("[1]".utf8) + Data(mark)) }
    #expect(throws: JSONError.self) { try JSONValue(data: Data(mark.dropLast()) + Data(" [1]".utf8)) }
    #expect(try JSONValue(data: Data("\"".utf8) + Data(mark) + Data("\"".utf8)) == "\u{FEFF}")
  }

  @Test func `the first member of a duplicate name counts`() throws {
    let value = try JSONValue(text: #"{"a":1,"b":2,"a":3,"\u0061":4}"#)
    #expect(value.object?.keys == ["a", "b"] && value["a"] == 1)
    for text in [#"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"":1,"":2}"#, #"{"é":1,"\u00e9":2}"#, #"{"é":1,"é":2}"#] {
      #expect(try JSONValue(text: text).object?.map(\.value) == [1])
    }
    let names = (0..<50).map { "\"m\($0 % 40)\":\($0)" }.joined(separator: ",")
    let many = try JSONValue(text: "{\(names)}")
    #expect(many.object?.count == 40 && many["m9"] == 9 && many["m10"] == 10 && many.object?.keys.first == "m0")
  }

  @Test(arguments: [
    (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"a":1,"\u0061":2}"#, 7), (#"[{"a":1},{"x":{"é":1,"\u00e9":2}}]"#, 22),
    (#"{"":1,"":2,"":3}"#, 6), (#"{"a":{"a":1},"a":{}}"#, 13),
  ])
  func `with duplicate names rejected the second name is an error`(text: String, offset: Int) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(text: text, rejectsDuplicateNames: true) }
    #expect(error?.reason == .duplicateName && error?.offset == offset)
    #expect(error.map { "\($0)".hasSuffix("duplicate member name") } == true)
    #expect(throws: JSONError.self) { try JSONValue(data: Data(text.utf8), rejectsDuplicateNames: true) }
    #expect(throws: Never.self) { try JSONValue(text: text) }
  }

  @Test(arguments: 2...30)
  func `duplicate names are rejected among few and many members`(count: Int) throws {
    let names = (0..<count).map { "m\($0)" }
    let unique = "{" + names.map { "\"\($0)\":{\"\($0)\":0}" }.joined(separator: ",") + "}"
    #expect(try JSONValue(text: unique, rejectsDuplicateNames: true).object?.keys == names)
    for place in 1..<count {
      for repeated in 0..<place {
        var names = names
        names[place] = names[repeated]
        let members = names.map { "\"\($0)\":0" }
        let error = #expect(throws: JSONError.self) {
          try JSONValue(text: "{" + members.joined(separator: ",") + "}", rejectsDuplicateNames: true)
        }
        #expect(error?.reason == .duplicateName && error?.offset == members[..<place].map { $0.utf8.count + 1 }.reduce(1, +))
      }
    }
  }

  @Test func `a duplicate name is found whatever names are in between`() throws {
    for first in 0..<60 {
      for second in 0..<first {
        let value = try JSONValue(text: #"{"m\#(first)":1,"m\#(second)":2,"z":3,"m\#(first)":4}"#)
        #expect(value.object?.keys == ["m\(first)", "m\(second)", "z"] && value["m\(first)"] == 1)
      }
    }
  }

  @Test(arguments: 2...15)
  func `the last of few or many members can repeat any earlier one`(count: Int) throws {
    for repeated in 0..<count - 1 {
      let names = (0..<count - 1).map { "m\($0)" } + ["m\(repeated)"]
      let members = names.enumerated().map { "\"\($1)\":\($0)" }
      let object = try #require(JSONValue(text: "{" + members.joined(separator: ",") + "}").object)
      #expect(object.keys == names.dropLast() && object["m\(repeated)"] == .int(repeated))
    }
  }

  @Test func `whitespace is allowed between all tokens`() throws {
    let text = " [ ] , { } , { \"a\" : [ 1 , -2.5 , true ] , \"b\" : { \"c\" : null } , \"d\" : \"\" } "
    for blank in [" ", "\t", "\n", "\r", "\r\n \t"] {
      let spaced = "[" + text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: blank) + "]"
      #expect(try JSONValue(text: spaced).text() == #"[[],{},{"a":[1,-2.5,true],"b":{"c":null},"d":""}]"#)
    }
  }

  @Test func `names that only look alike are different`() throws {
    for count in [0, 40] {
      let others = (0..<count).map { "\"m\($0)\":0," }.joined()
      let value = try JSONValue(text: "{\(others)\"\u{E9}\":1,\"e\u{301}\":2}")
      #expect(value.object?.count == count + 2 && value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
    }
  }

  @Test func `names in each record are correct, in any order and with common prefixes`() throws {
    // More than are remembered, of every length; each eighth record has its own, and each third has them backwards.
    let records = (0..<600).map { record -> [String] in
      var names = (0..<8).map { String(repeating: "n", count: $0 * 3) + "\(record % 8 == 0 ? record : 0)" }
      if record % 5 == 0 { names.append(names[3] + "x") }
      if record % 7 == 0 { names.append("") }
      if record % 9 == 0 { names.append("ü\(record)") }
      return record % 3 == 0 ? names.reversed() : names
    }
    let objects = records.map { "{" + $0.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}" }
    let value = try JSONValue(text: "[" + objects.joined(separator: ",") + "]")
    #expect(value.array?.map { $0.object?.keys } == records)
    #expect(value.array?.allSatisfy { $0.object?.allSatisfy { .string($0.key) == $0.value } == true } == true)
  }

  @Test func `names that are prefixes of each other are different`() throws {
    let names = (1...300).map { String(repeating: "a", count: $0) }
    let value = try JSONValue(text: "[" + (names + names).map { "{\"\($0)\":1}" }.joined(separator: ",") + "]")
    #expect(value.array?.map(\.object?.keys) == (names + names).map { [$0] })
  }

  @Test func `a duplicate name is found in each record, whatever the earlier records were`() throws {
    let text = #"[{"a":1,"b":2},{"a":1,"a":2},{"a":1,"b":2,"c":3},{"b":1,"a":2,"b":3},{"a":1,"\u0061":2,"b":3,"b":4}]"#
    #expect(try JSONValue(text: text).text() == #"[{"a":1,"b":2},{"a":1},{"a":1,"b":2,"c":3},{"b":1,"a":2},{"a":1,"b":3}]"#)
  }

  // MARK: depth

  private func nested(_ depth: Int, open: String, close: String) -> String {
    String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")])
  func `nesting deeper than the limit is an error`(open: String, close: String) throws {
    let levels = open.hasPrefix("[{") ? 256 : 512
    #expect(throws: Never.self) { try JSONValue(text: nested(levels, open: open, close: close)) }
    let error = #expect(throws: JSONError.self) { try JSONValue(text: nested(levels + 1, open: open, close: close)) }
    #expect(error?.reason == .tooDeep(limit: 512))
    let set = #expect(throws: JSONError.self) { try JSONValue(text: "[[[]]]", maximumDepth: 2) }
    #expect(set?.reason == .tooDeep(limit: 2) && set?.offset == 2)
    #expect(try JSONValue(text: "[[]]", maximumDepth: 2) == [[] as JSONValue])
    #expect(try JSONValue(text: "1", maximumDepth: 0) == 1)
    #expect(throws: JSONError.self) { try JSONValue(text: "[]", maximumDepth: -1) }
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
  func `a value of the maximum depth is parsed, compared, hashed, shown, written and freed on a small stack`(
    open: String, close: String
  ) async throws {
    let text = nested(512, open: open, close: close)
    let same = try await onSmallStack {
      guard let value = try? JSONValue(text: text), let other = try? JSONValue(text: text) else { return false }
      return value == other && value.hashValue == other.hashValue && (try? value.text()) == text && "\(value)" == text
    }
    #expect(same)
  }

  @Test(arguments: [63, 400, 100_000])
  func `a coder on a small stack accepts the allowed depth, and rejects deeper values`(depth: Int) async throws {
    let data = Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    let outcome = try await onSmallStack { () -> (decoded: Bool, encoded: Bool) in
      let decoded = try? JSONDecoder().decode([String: JSONValue].self, from: Data("{\"a\":".utf8) + data + Data("}".utf8))
      guard let value = try? JSONValue(data: data) else { return (decoded != nil, false) }
      return (decoded != nil, (try? JSONEncoder().encode(["a": value])) != nil)
    }
    #expect(outcome == (depth < 64, depth < 64))
  }

  // MARK: where it lies

  @Test func `bytes, text and slices are parsed alike`() throws {
    let data = Data(#"xx{"a":[1,2]}yy"#.utf8)
    #expect(try JSONValue(data: data[2..<13]) == ["a": [1, 2]])
    #expect(try JSONValue(bytes: data.span.bytes.extracting(2..<13)) == ["a": [1, 2]])
    #expect(throws: JSONError.self) { try JSONValue(data: data[2..<12]) }
    #expect(throws: JSONError.self) { try JSONValue(bytes: Data().span.bytes) }
  }

  @Test func `a string of any length ends at its closing quote`() throws {
    for count in 0..<40 {
      let text = String(repeating: "a", count: count)
      for end in ["", #"\""#, #"\\"#, "ü", #"\u00e9"#, "\u{7F}"] {
        let read = try JSONValue(text: "[\"\(text)\(end)\",\"\(end)\(text)\"]")
        let shown = [#"\""#: "\"", #"\\"#: "\\", #"\u00e9"#: "é"][end] ?? end
        #expect(read == [text + shown, shown + text])
      }
      for control in (0..<0x20).compactMap(Unicode.Scalar.init) {
        let error = #expect(throws: JSONError.self) { try JSONValue(text: "\"\(text)\(control)aaaaaaaa\"") }
        #expect(error?.offset == count + 1)
        let last = #expect(throws: JSONError.self) { try JSONValue(text: "\"\(text)\(control)\"") }
        #expect(last?.reason == .controlCharacter && last?.offset == count + 1)
      }
    }
  }
}
