@_spi(Adapters) import FaradayCore
import Testing

@Suite struct CapabilitiesTests {
  @Test func `each capability has a unique name`() {
    let entries = Capabilities.entries
    #expect(Set(entries.map(\.capability)).count == entries.count)
    #expect(Set(entries.map(\.name)).count == entries.count)
    #expect(entries.allSatisfy { $0.capability.names == [$0.name] })
  }

  @Test func `capabilities behave like a set`() {
    let set: Capabilities = [.http2, .customCA]
    #expect(set == Capabilities.customCA.union(.http2) && set.hashValue == Capabilities.customCA.union(.http2).hashValue)
    #expect(set.contains(.http2) && !set.contains(.http3) && set.contains([]) && !set.contains([.http2, .http3]))
    #expect(!set.isEmpty && Capabilities().isEmpty && set.intersection([.http3, .trace]).isEmpty)
    #expect(set.subtracting(.http2) == .customCA && set.intersection([.http2, .http3]) == .http2)
    #expect(set.names == ["http2", "customCA"] && set.description == "[http2, customCA]")
  }

  @Test func `capabilities can be added and removed`() {
    var set: Capabilities = [.http2]
    set.insert([.http2, .http3])
    set.insert(.trace)
    #expect(set == [.http2, .http3, .trace])
    set.remove([.http2, .customCA])
    set.remove(.http3)
    #expect(set == .trace)
  }

  @Test func `an adapter of another package can define its own capability`() throws {
    let own: Capabilities = [.teleport, .totalTimeout]
    #expect(own.contains(.teleport) && !Capabilities.all.contains(.teleport))
    #expect(own.names == ["totalTimeout", "example.teleport"])
    var request = try Request("http://h/")
    request.options.timeouts.total = .seconds(1)
    try own.check(request)
    request.options.timeouts.queue = .seconds(1)
    let error = #expect(throws: TransportError.self) { try own.check(request, of: "Own") }
    #expect(error?.message == "Own has no queueTimeout")
  }

  @Test(arguments: [
    "http://h/.", "http://h/..", "http://h/a/./b", "http://h/a/../b?q", "http://h/a/..#f", "http://h/./",
  ]) func `a dot segment needs an adapter that sends it unchanged`(url: String) throws {
    #expect(try Capabilities(neededBy: Request(url)).contains(.dotSegments))
  }

  @Test(arguments: [
    "http://h", "http://h/", "http://h/...", "http://h/.a", "http://h/a.", "http://h/a?/../b", "http://h/a#/./", "http://h//",
  ]) func `other dots need no capability`(url: String) throws {
    #expect(try !Capabilities(neededBy: Request(url)).contains(.dotSegments))
  }

  @Test(
    arguments: [
      ("no host", Request.to("http:///x"), .invalidURL), ("ftp", .to("ftp://h/"), .unsupportedScheme),
      ("CONNECT", .to("http://h/") { $0.method = .connect }, .invalidMethod),
      ("a HEAD with a body", .to("http://h/") { ($0.method, $0.body) = (.head, "x") }, .invalidBody),
      ("a TRACE with a body", .to("http://h/") { ($0.method, $0.body) = (.trace, "x") }, .invalidBody),
      ("a body that is a value", .to("http://h/") { ($0.method, $0.body) = (.post, .encodable(1)) }, .invalidBody),
      ("a length that is not the body's", .to("http://h/") { $0.headers[.contentLength] = "2" }, .invalidHeader),
    ] as [(String, Request, TransportError.Code)])
  func `one check refuses what no adapter may send, with any capabilities`(
    name: String, request: Request, code: TransportError.Code
  ) throws {
    let error = #expect(throws: TransportError.self) { try Capabilities.all.check(request) }
    #expect(error?.code == code)
    #expect(error?.phase == .building)
  }
}

extension Capabilities {
  fileprivate static let teleport = Capabilities("example.teleport")
}

extension Request {
  fileprivate static func to(_ url: String, _ edit: (inout Request) -> Void = { _ in }) -> Request {
    var request = Request(url: URL(string: url) ?? URL(filePath: "/"))
    edit(&request)
    return request
  }
}
