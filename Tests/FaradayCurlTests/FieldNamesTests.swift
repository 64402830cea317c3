import FaradayCore
import Testing

@testable import FaradayCurl

@Suite struct FieldNamesTests {
  private func known(_ text: String) -> HTTPField.Name? {
    Array(text.utf8).withUnsafeBufferPointer { FieldNames.known($0[...]) }
  }

  @Test(arguments: ["Content-Length", "content-length", "ETag", "etag", "WWW-Authenticate"])
  func `a known name is what it would be if it were made anew`(text: String) throws {
    let name = try #require(known(text))
    #expect(name == HTTPField.Name(text))
    #expect(name.rawName == text)
  }

  @Test(arguments: [
    "", "Etag", "CONTENT-LENGTH", "Content-Lengt", "Content-Lengthy", "X-Mine", String(repeating: "x", count: 1000),
  ])
  func `another, or one in another case, is not known`(text: String) {
    #expect(known(text) == nil)
  }
}
