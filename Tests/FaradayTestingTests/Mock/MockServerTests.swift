import Faraday
import FaradayCurl
import FaradayURLSession
import Foundation
import Testing

@testable import FaradayTesting

/// The server with queued responses, over both adapters.
@Suite struct MockServerTests {
  enum Sender: CaseIterable, Sendable {
    case curl, urlSession

    var adapter: any Adapter { self == .curl ? CurlAdapter() : URLSessionAdapter() }
  }

  private func code(_ server: MockServer, _ adapter: any Adapter) async -> TransportError.Code? {
    do {
      _ = try await Connection(server.url, adapter: adapter).get("x")
      return nil
    } catch {
      return (error as? TransportError)?.code
    }
  }

  @Test(arguments: Sender.allCases)
  func `a request without a response gets a 500 that names it, and fails the verification`(sender: Sender) async throws {
    let server = try MockServer(.status(.noContent))
    try? server.verify()
    let connection = try Connection(server.url, adapter: sender.adapter)
    #expect(try await connection.get("a").status == .noContent)
    try server.verify()
    let response = try await connection.get("b?c=1")
    #expect(response.status == .internalServerError)
    #expect(try await response.body.utf8Text() == "no response is left for GET /b?c=1\n")
    let error = #expect(throws: MockError.self) { try server.verify() }
    #expect("\(try #require(error))".contains("/b?c=1"))
  }

  @Test func `a queued response that is not used fails the verification`() throws {
    let server = try MockServer(tls: nil)
    server.enqueue(.text("a"), times: 2)
    let error = #expect(throws: MockError.self) { try server.verify() }
    #expect("\(try #require(error))" == "not used: a response with the status 200, 2 times")
  }

  @Test(arguments: Sender.allCases) func `faults before and within a body are errors`(sender: Sender) async throws {
    let adapter = sender.adapter
    for (response, codes) in [
      (Response.text("hello").cut(after: 2), [TransportError.Code.truncatedResponse]),
      (.text("hello").cut(after: nil), [.connectionClosed]),
      (.text("hello").reset(after: 2), [.receiveFailed, .truncatedResponse]),
      (.text("hello").reset(after: nil), [.receiveFailed, .connectionClosed]),
      (.pieces(["a", "b", "c"]).cut(after: 2), [.truncatedResponse]),
      (.garbage("SSH-2.0-OpenSSH\r\n\r\n"), [.malformedResponse]),
      (.failure(.idleTimeout), [.connectionClosed]),
      (.failure(CancellationError()), [.connectionClosed]),
    ] {
      let server = try MockServer(response, response)
      let code = await code(server, adapter)
      #expect(codes.contains { $0 == code })
    }
  }

  @Test(arguments: Sender.allCases) func `a stalled response ends with the request`(sender: Sender) async throws {
    let adapter = sender.adapter
    for count in [nil, 2] {
      let server = try MockServer(.text("hello").stalled(after: count))
      let request = Task { try await Connection(server.url, adapter: adapter).get() }
      await until { !server.recorded.isEmpty }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
    }
  }

  @Test func `a server that is stopped ends the responses that are not complete`() async throws {
    let hasEnded = Gate()
    let server = try MockServer { _ in
      defer { hasEnded.open() }
      try await Task.sleep(for: .seconds(3600))
      return .text("late")
    }
    let request = Task { try await Connection(server.url, adapter: CurlAdapter()).get() }
    await until { !server.recorded.isEmpty }
    server.stop()
    await #expect(throws: TransportError.self) { try await request.value }
    #expect(await hasEnded.opened())
  }

  @Test(arguments: Sender.allCases) func `bodies of all kinds arrive`(sender: Sender) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "mock-\(UUID())").path()
    try Data(repeating: 7, count: 300_000).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let server = try MockServer(
      .json(["b": 1, "a": 2]), .text("text"), .file(path), .pieces(["one ", "two"]), .events(["a", "b\nc"]),
      .text("slow").throttled(toBytesPerSecond: 100_000), .text("after").delayed(by: .milliseconds(1)), .status(.noContent))
    let connection = try Connection(server.url, adapter: sender.adapter)
    var shown: [String] = []
    for index in 0..<8 {
      let response = try await connection.get("\(index)")
      let body = try await response.body.collect()
      let text = body.count > 100 ? "\(body.count) bytes" : String(decoding: body, as: UTF8.self)
      shown.append("\(response.headers[.contentType] ?? "-") \(response.headers[.contentLength] ?? "-") \(text)")
    }
    #expect(
      shown == [
        "application/json 13 {\"a\":2,\"b\":1}", "text/plain; charset=utf-8 4 text",
        "application/octet-stream 300000 300000 bytes", "text/plain; charset=utf-8 - one two",
        "text/event-stream - data: a\n\ndata: b\ndata: c\n\n", "text/plain; charset=utf-8 4 slow",
        "text/plain; charset=utf-8 5 after", "- - ",
      ])
    #expect(server.connectionCount == 1)
    try server.verify()
  }

  @Test func `informational responses, trailers and redirects arrive`() async throws {
    let server = try MockServer(
      .redirect(to: "/b"),
      Response.status(.ok, body: "body", trailers: [.eTag: "x"]).informational(.earlyHints, headers: [.link: "</a>"]))
    let hints = Log<String>()
    let connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [Redirects()])
    let response = try await connection.get("a") {
      $0.options.onInformational = { hints.append($0.headerFields[.link] ?? "") }
    }
    #expect(hints.elements == ["</a>"])
    #expect(response.trailers[.eTag] == "x")
    #expect(server.recorded.map(\.line) == ["GET /a", "GET /b"])
    #expect(Response.redirect(to: "a\r\nb").behavior.failure != nil)
  }

  @Test(arguments: Sender.allCases) func `requests are kept with their bodies`(sender: Sender) async throws {
    let server = try MockServer { request in .text(request.text.uppercased()) }
    let connection = try Connection(server.url, adapter: sender.adapter)
    #expect(try await connection.post("a?b=c", headers: ["X-One": "1"], body: .text("hello")).text() == "HELLO")
    let pieces = Body.stream(
      AsyncStream<Data> { continuation in
        for text in ["a", "b"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      })
    #expect(try await connection.put("chunks", body: pieces).text() == "AB")
    #expect(try await connection.head("head").status == .ok)
    let first = try #require(server.recorded.first)
    #expect(first.method == .post && first.text == "hello" && first.headers["X-One"] == "1")
    #expect(server.recorded.map(\.line) == ["POST /a?b=c", "PUT /chunks", "HEAD /head"])
  }

  @Test func `a malformed request gets a 400`() async throws {
    let server = try MockServer(.text("x"))
    let connection = try Connection(server.url, adapter: CurlAdapter())
    let response = try await connection.get(headers: ["Host": "a host"])
    #expect(response.status == .badRequest && response.headers[.connection] == "close")
    // The answer is not lost although the body is not read.
    let large = try await connection.post(headers: ["Host": "a host"], body: .data(Data(count: 8 << 20)))
    #expect(large.status == .badRequest)
    #expect(server.recorded.isEmpty)
    #expect(try await connection.get().text() == "x")
  }

  @Test(arguments: Sender.allCases) func `TLS with a test authority`(sender: Sender) async throws {
    let authority = try TestAuthority()
    let server = try MockServer(tls: authority) { _ in .text("secure") }
    var connection = try Connection(server.url, adapter: sender.adapter)
    await #expect(throws: TransportError.self) { try await connection.get() }
    connection.defaults.tls.caCertificates = authority.certificate
    guard sender == .curl else { return }
    #expect(try await connection.get().text() == "secure")
    let named = try #require(server.recorded.last)
    #expect(named.request.url.scheme == "https")
  }

  @Test func `a client certificate can be required`() async throws {
    let authority = try TestAuthority()
    let server = try MockServer(tls: authority, requiresClientCertificate: true) { _ in .text("known") }
    var connection = try Connection(server.url, adapter: CurlAdapter())
    connection.defaults.tls = authority.clientTLS
    await #expect(throws: TransportError.self) { try await connection.get() }
    connection.defaults.tls.clientCertificate = authority.clientCertificate
    #expect(try await connection.get().text() == "known")
    #expect(throws: MockError.self) { try MockServer(requiresClientCertificate: true) }
  }

  @Test func `a response without a body leaves the connection in step`() async throws {
    let server = try MockServer(.status(.noContent, body: "not sent"), .status(.notModified, body: "not sent"), .text("x"))
    let connection = try Connection(server.url, adapter: CurlAdapter())
    for code in [204, 304, 200] { #expect(try await connection.get().status.code == code) }
    #expect(server.connectionCount == 1)
  }

  @Test func `a body that is shorter than it has said ends the connection`() async throws {
    let short = Response.status(.ok, body: .stream(AsyncStream<Data> { $0.finish() }, length: 5))
    let long = Response.status(
      .ok,
      body: .stream(
        AsyncStream<Data> { continuation in
          continuation.yield(Data(count: 9))
          continuation.finish()
        }, length: 5))
    let server = try MockServer(short, long, .text("x"))
    let connection = try Connection(server.url, adapter: CurlAdapter())
    let error = await #expect(throws: TransportError.self) { try await connection.get() }
    #expect(error?.code == .truncatedResponse)
    #expect(try await connection.get().body.data?.count == 5)
    #expect(try await connection.get().text() == "x")
  }

  // MARK: the same responses over a mock adapter

  @Test func `a mock adapter has the same faults`() async throws {
    for (response, code) in [
      (Response.text("hello").cut(after: 2), TransportError.Code.truncatedResponse),
      (.text("hello").cut(after: nil), .connectionClosed),
      (.text("hello").reset(after: 2), .receiveFailed), (.garbage("x"), .malformedResponse),
      (.failure(.idleTimeout), .idleTimeout),
    ] {
      let error = await #expect(throws: TransportError.self) {
        try await Connection("http://host/", adapter: MockAdapter(response)).get()
      }
      #expect(error?.code == code)
    }
    let stalled = Task { try await Connection("http://host/", adapter: MockAdapter(.text("x").stalled(after: 0))).get() }
    stalled.cancel()
    await #expect(throws: CancellationError.self) { try await stalled.value }
  }

  @Test func `a mock adapter has a sequence, a closure, and a verification`() async throws {
    let mock = MockAdapter(.status(.serviceUnavailable), .text("ok"))
    let connection = try Connection("http://host/", adapter: mock)
    #expect(try await connection.get("a").status == .serviceUnavailable)
    #expect(throws: MockError.self) { try mock.verify() }
    let response = try await connection.get("b")
    #expect(try await response.text() == "ok")
    #expect(response.url.absoluteString == "http://host/b")
    try mock.verify()
    await #expect(throws: MockError.self) { try await connection.get("c") }
    #expect(throws: MockError.self) { try mock.verify() }

    let echo = try Connection("http://host/", adapter: MockAdapter { request in .json(["path": request.path]) })
    #expect(try await echo.get("d").decode([String: String].self) == ["path": "/d"])
    let broken = try Connection("http://host/", adapter: MockAdapter { _ in .json([Double.nan]) })
    await #expect(throws: EncodingError.self) { try await broken.get() }
  }
}
