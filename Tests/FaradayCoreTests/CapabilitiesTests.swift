import FaradayCore
import Testing

@Suite struct CapabilitiesTests {
  @Test func `each capability has a bit and a name of its own`() {
    let entries = Capabilities.entries
    #expect(Set(entries.map(\.capability.rawValue)).count == entries.count)
    #expect(entries.allSatisfy { $0.capability.rawValue.nonzeroBitCount == 1 })
    #expect(Set(entries.map(\.name)).count == entries.count)
  }

  @Test(arguments: [
    "http://h/.", "http://h/..", "http://h/a/./b", "http://h/a/../b?q", "http://h/a/..#f", "http://h/./",
  ]) func `a segment of one or two dots needs an adapter that sends it as it is`(url: String) throws {
    #expect(try Capabilities(neededBy: Request(url)).contains(.dotSegments))
  }

  @Test(arguments: [
    "http://h", "http://h/", "http://h/...", "http://h/.a", "http://h/a.", "http://h/a?/../b", "http://h/a#/./", "http://h//",
  ]) func `other dots need nothing`(url: String) throws {
    #expect(try !Capabilities(neededBy: Request(url)).contains(.dotSegments))
  }
}
