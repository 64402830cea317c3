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

  @Test(
    arguments: [
      ("no host", Request.to("http:///x"), .invalidURL), ("ftp", .to("ftp://h/"), .unsupportedScheme),
      ("CONNECT", .to("http://h/") { $0.method = .connect }, .invalidMethod),
      ("a HEAD with a body", .to("http://h/") { ($0.method, $0.body) = (.head, "x") }, .invalidBody),
      ("a TRACE with a body", .to("http://h/") { ($0.method, $0.body) = (.trace, "x") }, .invalidBody),
      ("a body that is a value", .to("http://h/") { ($0.method, $0.body) = (.post, .value(1)) }, .invalidBody),
      ("a length that is not the body's", .to("http://h/") { $0.headers[.contentLength] = "2" }, .invalidHeader),
    ] as [(String, Request, TransportError.Code)])
  func `one check refuses what no adapter may send, whatever that can do`(
    name: String, request: Request, code: TransportError.Code
  ) throws {
    let error = #expect(throws: TransportError.self) { try Capabilities.all.check(request) }
    #expect(error?.code == code)
    #expect(error?.phase == .building)
  }
}

extension Request {
  fileprivate static func to(_ url: String, _ edit: (inout Request) -> Void = { _ in }) -> Request {
    var request = Request(url: URL(string: url) ?? URL(filePath: "/"))
    edit(&request)
    return request
  }
}
