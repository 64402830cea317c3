@_spi(Adapters) import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct CapabilityTableTests {
  private let table = CapabilityTable([("A", [.customMethods]), ("B", .all)])

  @Test func `the table has one row for each capability and a mark for each adapter`() {
    let lines = table.text.split(separator: "\n").map { $0.split(whereSeparator: { $0 == " " }) }
    #expect(lines.first == ["capability", "is", "A", "B"])
    #expect(lines.dropFirst().map { String($0[0]) } == Capabilities.entries.map(\.name))
    #expect(lines.dropFirst().map { $0.suffix(2) }.first == ["yes", "yes"])
    #expect(lines.dropFirst(2).allSatisfy { $0.suffix(2) == ["-", "yes"] })
  }

  @Test func `the Markdown table has a head and code marks`() {
    let lines = table.markdown.split(separator: "\n")
    #expect(lines.prefix(2) == ["| capability | is | `A` | `B` |", "| --- | --- | :-: | :-: |"])
    #expect(lines[2] == "| `customMethods` | methods other than those of RFC 9110 | yes | yes |")
    #expect(lines.count == Capabilities.entries.count + 2)
  }

  @Test func `the program prints the table as text and Markdown`() async throws {
    #expect(try await Program.run("adapters").text == CapabilityTable().text)
    #expect(try await Program.run("adapters", "--markdown").text == CapabilityTable(hasNewEngines: true).markdown)
    #expect(try await Program.run("adapters", "--bogus").status == 2)
  }

  #if os(Linux)
  @Test func `the article on transport options contains the current table`() throws {
    let article = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../Sources/Faraday/Faraday.docc/TransportOptions.md")
    let lines = try String(contentsOf: article.standardized, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("<!-- adapters") })
    let end = try #require(lines.firstIndex(of: "<!-- /adapters -->"))
    let shown = lines[(start + 1)..<end].joined(separator: "\n") + "\n"
    #expect(
      shown == CapabilityTable(hasNewEngines: true).markdown, "the table in the article is not today's: run Scripts/capabilities")
  }
  #endif
}
