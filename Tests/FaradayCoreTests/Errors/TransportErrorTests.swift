import FaradayCore
import FoundationEssentials
import Testing

@Suite struct TransportErrorTests {
  @Test func `an invalid URL is an error without its secrets`() throws {
    let error = try #require(throws: TransportError.self) {
      try Request(.get, "http://user:secret@h:port/path?token=secret#secret")
    }
    #expect(error.code == .invalidURL)
    #expect(error.phase == .building)
    #expect(error.url == "http://h:port/path")
    #expect(!error.description.contains("secret"))
  }

  @Test(arguments: [
    ("https://user:secret@h/p?token=secret#f", "https://h/p"),
    ("https://h/a@b?x", "https://h/a@b"),
    ("https://h", "https://h"),
  ])
  func `the URL of an error has no user, query and fragment`(url: String, shown: String) throws {
    let request = try Request(.post, url)
    let error = TransportError(.invalidBody, building: request, "no")
    #expect(error.url == shown)
    #expect(error.description == "POST \(shown): no (invalidBody while building)")
  }
}
