import Testing

@Suite struct ReadmeTests {
  @Test func `every block of Swift in the README is one that this target compiles`() throws {
    let blocks = try Pages.blocks(of: "README.md")
    #expect(blocks.count >= 19)
    for block in blocks {
      #expect(
        try Pages.isCompiled(block, in: ["ReadmeExamples.swift", "ReadmeFaces.swift", "OverCurl.swift"]),
        "not compiled:\n\(block)")
    }
  }

  @Test func `every block of Swift in 'Writing an adapter' is one that is compiled`() throws {
    let blocks = try Pages.blocks(of: "Sources/FaradayCore/FaradayCore.docc/WritingAnAdapter.md")
    #expect(blocks.count >= 6)
    let files = ["EchoAdapter.swift", "EchoConformanceTests.swift", "../../Sources/FaradayCore/Adapter.swift"]
    for block in blocks { #expect(try Pages.isCompiled(block, in: files), "not compiled:\n\(block)") }
  }
}
