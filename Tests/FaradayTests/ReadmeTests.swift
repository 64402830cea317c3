import Foundation
import Testing

@Suite struct ReadmeTests {
  @Test func `every block of Swift in the README is one that this target compiles`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let examples = lines(try String(contentsOf: here.appendingPathComponent("ReadmeExamples.swift"), encoding: .utf8))
    let readme = try String(contentsOf: here.appendingPathComponent("../../README.md").standardized, encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count >= 8)
    for block in blocks {
      let wanted = lines(block).filter { !$0.hasPrefix("import ") }
      let isThere = examples.indices.contains { examples[$0...].starts(with: wanted) }
      #expect(isThere, "not in ReadmeExamples.swift:\n\(block)")
    }
  }

  /// Without indentation and empty lines.
  private func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
