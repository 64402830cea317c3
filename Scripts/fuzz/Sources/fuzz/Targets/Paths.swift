import Faraday

extension Target {
  /// A value stays within its place in a path: the rest is the template's, no segment is added, and none is a dot segment.
  ///
  /// The first line is the template, the others are the values of a, b, c and so on.
  static let paths = Target("paths") { input in
    let lines = input.lines
    let template = PathTemplate(stringLiteral: lines.text(0))
    var values: [String: String] = [:]
    for (number, name) in ["a", "b", "c"].enumerated() where number + 1 < lines.count { values[name] = lines.text(number + 1) }
    let path: String
    do throws(InvalidValueError) { path = try template.path(values) } catch {
      guard case .path = error.kind else { return expect(false, "the error of \(template.text) is of kind \(error.kind)") }
      return
    }
    // By hand, byte by byte.
    var expected: [UInt8] = []
    var rest = Array(template.text.utf8)[...]
    var places: [Int] = []
    while let (literal, name) = cut(&rest) {
      places.append(expected.count + literal.count)
      expected += literal
      expected += percentEncoded(values[name] ?? "?").utf8
    }
    expected += rest
    expectEqual(path, String(decoding: expected, as: UTF8.self), "the path of \(template.text)")
    let end = expected.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? expected.count
    for place in places where place < end {
      let slash = UInt8(ascii: "/")
      let start = expected[..<place].lastIndex(of: slash).map { $0 + 1 } ?? 0
      let segment = expected[start..<(expected[place..<end].firstIndex(of: slash) ?? end)]
      let text = String(decoding: segment, as: UTF8.self).lowercased()
      expect(![".", ".."].contains(text.replacing("%2e", with: ".")), "a dot segment: \(path)")
    }
  }

  /// Takes what stands before a place, and its name. Nil if there is no place.
  private static func cut(_ rest: inout ArraySlice<UInt8>) -> (literal: ArraySlice<UInt8>, name: String)? {
    guard let open = rest.firstIndex(of: UInt8(ascii: "{")), let close = rest[open...].firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    defer { rest = rest[(close + 1)...] }
    return (rest[..<open], String(decoding: rest[(open + 1)..<close].filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self))
  }
}
