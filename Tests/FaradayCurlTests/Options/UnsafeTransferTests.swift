@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import Testing

/// Options of libcurl that have no name here.
@Suite struct UnsafeTransferTests {
  private func adapter(_ customize: @escaping @Sendable (borrowing UnsafeTransfer, Request) throws -> Void) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration()
    configuration.unsafeCustomize = customize
    return CurlAdapter(configuration)
  }

  @Test func `options are set by name and by number`() async throws {
    let server = try LocalServer()
    let number = try #require(UnsafeTransfer.number(of: "REFERER"))
    let adapter = adapter { transfer, request in
      try transfer.set("USERAGENT", "custom \(request.method)")
      try transfer.set(number, "http://referer.example/")
      try transfer.set("CONNECT_TO", ["::127.0.0.1:\(server.port)"])
      try transfer.set("MAX_RECV_SPEED_LARGE", 1 << 40)
      try transfer.set("TCP_NODELAY", 1)
      try transfer.set("CAINFO_BLOB", bytes: Data("pem".utf8))
      try transfer.set("MIME_OPTIONS", 0)
    }
    let text = try await adapter.send(try Request("http://nowhere.invalid/inspect")).body.utf8Text()
    #expect(
      text.contains("custom GET") && text.contains("http:\\/\\/referer.example\\/") || text.contains("http://referer.example/"))
  }

  @Test func `a proxy gets the request in the form that it needs`() async throws {
    let heads = Log<String>()
    let proxy = try RawServer { connection in
      heads.append(try connection.readHead())
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    let adapter = adapter { transfer, _ in try transfer.set("PROXY", proxy.url) }
    #expect(try await adapter.send(try Request("http://origin.example/a?b#c")).status == .noContent)
    #expect(heads.elements.first?.hasPrefix("GET http://origin.example/a?b HTTP/1.1\r\nHost: origin.example\r\n") == true)
    proxy.stop()
  }

  @Test(arguments: [
    "WRITEFUNCTION", "HEADERDATA", "PRIVATE", "URL", "HTTPHEADER", "FOLLOWLOCATION", "FAILONERROR", "SHARE", "NOSIGNAL",
    "COOKIEFILE", "NO_SUCH_OPTION", "",
  ])
  func `reserved and unknown options are refused`(name: String) async throws {
    for kind in 0..<5 {
      let adapter = adapter { transfer, _ in
        switch kind {
        case 0: try transfer.set(name, 1)
        case 1: try transfer.set(name, "text")
        case 2: try transfer.set(name, ["text"])
        case 3: try transfer.set(name, bytes: Data())
        default: try transfer.set(name, pointer: nil)
        }
      }
      let error = await #expect(throws: UnsafeTransfer.OptionError.self) {
        try await adapter.send(try Request("http://127.0.0.1:9/"))
      }
      #expect(error?.option == name)
    }
  }

  @Test func `a value of another type is refused`() async throws {
    let adapter = adapter { transfer, _ in try transfer.set("USERAGENT", 1) }
    await #expect(throws: UnsafeTransfer.OptionError.self) { try await adapter.send(try Request("http://127.0.0.1:9/")) }
    let other = self.adapter { transfer, _ in try transfer.set(9999, "text") }
    await #expect(throws: UnsafeTransfer.OptionError.self) { try await other.send(try Request("http://127.0.0.1:9/")) }
    let texts = self.adapter { transfer, _ in try transfer.set("USERAGENT", "a\0b") }
    await #expect(throws: UnsafeTransfer.OptionError.self) { try await texts.send(try Request("http://127.0.0.1:9/")) }
  }

  @Test func `an error of the closure is the error of the request`() async throws {
    struct Own: Error {}
    let adapter = adapter { _, _ in throw Own() }
    await #expect(throws: Own.self) { try await adapter.send(try Request("http://127.0.0.1:9/")) }
  }
}
