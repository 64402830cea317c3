import Foundation
import Testing

/// The acceptance cases, whose numbers stand in the names of tests: `Tests/README.md` lists them.
@Suite struct NumberedCasesTests {
  private let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../..").standardized

  @Test func `every numbered case of the table has a test, and every numbered test is in the table`() throws {
    let table = try String(contentsOf: tests.appendingPathComponent("README.md"), encoding: .utf8)
    var listed: Set<String> = []
    for row in table.matches(of: /\n\| `([A-Z]{2})` \| (\d+) \|/) {
      for number in 1...(try #require(Int(row.2))) { listed.insert("\(row.1)-\(number < 10 ? "0" : "")\(number)") }
    }
    let prefixes = Set(listed.map { $0.prefix(3) })
    var shown: Set<String> = []
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      // Bytes: a regular expression takes seconds for all files.
      for word in try Data(contentsOf: file).split(whereSeparator: { !isPartOfNumber($0) }) where word.count == 5 {
        let number = String(decoding: word, as: UTF8.self)
        if prefixes.contains(number.prefix(3)) { shown.insert(number) }
      }
    }
    #expect(prefixes.count == 5)
    #expect(listed.subtracting(shown).sorted() == [])
    #expect(shown.subtracting(listed).sorted() == [])
  }

  /// Whether it is an upper-case letter, a digit or a hyphen.
  private func isPartOfNumber(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
  }
}
