import Testing

@Suite struct ReadmeTests {
  @Test func `every block of Swift in the README is one that this target compiles`() throws {
    let blocks = try Pages.blocks(of: "README.md")
    #expect(blocks.count >= 9)
    for block in blocks {
      #expect(try Pages.isCompiled(block, in: ["ReadmeExamples.swift", "OverCurl.swift"]), "not compiled:\n\(block)")
    }
  }
}
