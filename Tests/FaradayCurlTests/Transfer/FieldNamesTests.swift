@_spi(Adapters) import FaradayCore
import Testing

@testable import FaradayCurl

@Suite struct FieldNamesTests {
  private func known(_ text: String) -> HTTPField.Name? {
    Array(text.utf8).withUnsafeBufferPointer { FieldNames.known($0[...]) }
  }

  @Test(arguments: ["Content-Length", "content-length", "ETag", "etag", "WWW-Authenticate"])
  func `a cached field name equals a newly created one`(text: String) throws {
    let name = try #require(known(text))
    #expect(name == HTTPField.Name(text))
    #expect(name.rawName == text)
  }

  @Test(arguments: [
    "", "Etag", "CONTENT-LENGTH", "Content-Lengt", "Content-Lengthy", "X-Mine", String(repeating: "x", count: 1000),
  ])
  func `unknown names and names in another letter case are not cached`(text: String) {
    #expect(known(text) == nil)
  }
}
