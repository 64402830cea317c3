@_spi(Adapters) import FaradayCore
import FaradayTesting
@testable import FaradayURLSession
import Foundation
import Synchronization
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLSessionAdapterTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try Connection(server.url + "/", adapter: URLSessionAdapter())
  }

  #if canImport(FoundationNetworking)
  @Test func `a proxy that this platform ignores is an error with its name`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.connectionProxyDictionary = ["HTTPProxy": "127.0.0.1", "HTTPPort": 1]
    let adapter = URLSessionAdapter(configuration)
    let error = await #expect(throws: TransportError.self) { try await adapter.send(Request(server.url + "/hello")) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("connectionProxyDictionary") == true)
    #expect(server.requestCount == 0)
  }
  #endif

  @Test func `the configuration's resource timeout is enforced even where the platform ignores it`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForResource = 0.1
    let adapter = URLSessionAdapter(configuration)
    let error = await #expect(throws: TransportError.self) { try await adapter.send(Request(server.url + "/stall")) }
    #expect(error?.code == .totalTimeout)
  }

  @Test func `the caller's configuration is unchanged, and cookies are not stored`() async throws {
    let configuration = URLSessionConfiguration.default
    let storage = configuration.httpCookieStorage
    let adapter = URLSessionAdapter(configuration)
    #expect(configuration.httpCookieStorage === storage)
    _ = try await adapter.send(Request(server.url + "/cookies"))
    let second = try await adapter.send(Request(server.url + "/inspect"))
    #expect(try await !second.body.utf8Text().lowercased().contains("cookie"))
  }

  @Test func `headers of the configuration are sent, and the request's take precedence`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["X-Session": "session", "X-Both": "session"]
    let connection = try Connection(server.url + "/", adapter: URLSessionAdapter(configuration))
    let text = try await connection.get("inspect") { try $0.headers.set(name: "X-Both", value: "request") }.body.utf8Text()
    #expect(text.contains(#"["X-Session","session"]"#) && text.contains(#"["X-Both","request"]"#))
  }

  /// A server that sends so many numbered mebibytes, and a gate that opens when it has sent all, or could not.
  private func sender(_ mebibytes: Int, fields: String = "") throws -> (server: RawServer, hasEnded: Gate) {
    let hasEnded = Gate()
    let server = try RawServer { connection in
      defer { hasEnded.open() }
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\n")
      for number in 0..<mebibytes { try connection.send([UInt8](repeating: UInt8(number & 0xFF), count: 1 << 20)) }
    }
    return (server, hasEnded)
  }

  @Test func `a slow reader gets all bytes in order`() async throws {
    let (server, hasEnded) = try sender(200)
    let response = try await Connection(server.url + "/", adapter: URLSessionAdapter()).get { $0.options.delivery = .streamed }
    // Nothing is read until the server has sent all.
    #expect(await hasEnded.opened())
    var count = 0
    for try await piece in response.body {
      for byte in [piece.first, piece.last].compactMap(\.self).enumerated() {
        let index = byte.offset == 0 ? count : count + piece.count - 1
        #expect(byte.element == UInt8(index >> 20 & 0xFF), "at \(index)")
      }
      count += piece.count
    }
    #expect(count == 200 << 20 && response.metrics.bytesReceived == 200 << 20)
  }

  @Test func `a slow callback gets all bytes`() async throws {
    let (server, hasEnded) = try sender(100)
    let count = Atomic(0)
    _ = try await Connection(server.url + "/", adapter: URLSessionAdapter()).get {
      $0.options.onChunk = { piece in
        // The first piece waits until the server has sent all.
        if count.add(piece.byteCount, ordering: .relaxed).oldValue == 0 { hasEnded.wait() }
        return .continue
      }
    }
    #expect(count.load(ordering: .relaxed) == 100 << 20)
  }

  @Test(arguments: ["", "Content-Length: 209715201\r\n"])
  func `the received bytes of a truncated body are delivered before the error`(fields: String) async throws {
    let (server, hasEnded) = try sender(fields.isEmpty ? 300 : 200, fields: fields)
    // Without a length it is the limit that cuts it.
    let adapter = URLSessionAdapter(maximumUnread: fields.isEmpty ? 40 << 20 : 1 << 30)
    let response = try await Connection(server.url + "/", adapter: adapter).get { $0.options.delivery = .streamed }
    #expect(await hasEnded.opened())
    var count = 0
    let error = await #expect(throws: TransportError.self) { for try await piece in response.body { count += piece.count } }
    if fields.isEmpty {
      #expect(error?.code == .bodyTooLarge && error?.message.contains("URLSession has no backpressure") == true)
      // The stream has its own capacity.
      #expect((38 << 20)...(44 << 20) ~= count, "\(count)")
    } else {
      #expect(error?.code == .truncatedResponse && count == 200 << 20, "\(String(describing: error)) \(count)")
    }
  }

  @Test func `a cancelled reader does not wait for unread bytes of a completed response`() async throws {
    let (server, hasEnded) = try sender(100)
    let response = try await Connection(server.url + "/", adapter: URLSessionAdapter()).get { $0.options.delivery = .streamed }
    #expect(await hasEnded.opened())
    let task = Task {
      for try await _ in response.body { withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [
    "Transfer-Encoding: \r\n\tchunked", "Transfer-Encoding:\r\n gzip,\r\n chunked", "Transfer-Encoding: identity,\r\n chunked",
  ])
  func `a transfer coding in a folded line is refused if the value is visible`(field: String) async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    }
    defer { server.stop() }
    let error = await #expect(throws: TransportError.self) {
      try await Connection(server.url + "/", adapter: URLSessionAdapter()).get()
    }
    #expect(error?.code == .malformedResponse && error?.message.contains("Transfer-Encoding") == true)
  }

  @Test func `an unrequested content coding is an error`() async throws {
    let error = await #expect(throws: TransportError.self) { try await connection.get("gzip/text") }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("encodedBodies") == true)
    #expect(error?.partialResponse == nil)
  }

  @Test func `a redirect without Location is a response, and reports a lost body`() async throws {
    #expect(try await connection.get("status/304").status == .notModified)
    let error = await #expect(throws: TransportError.self) { try await connection.get("status/302") }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("redirect without Location") == true)
    #expect(error?.partialResponse?.status == .found)
  }

  @Test func `HEAD requests keep their connection reusable in each delivery`() async throws {
    let server = try LocalServer()
    let connection = try Connection(server.url + "/", adapter: URLSessionAdapter())
    for delivery in [Delivery.buffered, .streamed] {
      for _ in 0..<30 {
        let response = try await connection.head("bytes/100") { $0.options.delivery = delivery }
        #expect(response.status == .ok)
        #expect(try await response.body.collect().isEmpty)
      }
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `the connection of an upload is closed when the upload ends or is cancelled`() async throws {
    let closed = Log<Int>()
    let hasBody = Gate()
    let server = try RawServer { connection in
      defer { closed.append(connection.index) }
      let head = try connection.readHead()
      _ = try connection.read(exactly: 4)
      hasBody.open()
      if head.hasPrefix("POST /answered") { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
      connection.waitForClose()
    }
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: URLSessionAdapter())
    for _ in 0..<3 {
      #expect(try await connection.post("answered", body: "body").status == .ok)
      let unwanted = Task { try await connection.post("unwanted", body: "body") }
      #expect(await hasBody.opened())
      unwanted.cancel()
      await #expect(throws: CancellationError.self) { try await unwanted.value }
    }
    await until { closed.elements.count == server.connectionCount }
  }

  @Test func `the temporary file of a sequence is deleted, and a file body stays`() async throws {
    let pieces = AsyncStream<Data> { continuation in
      continuation.yield(Data("one".utf8))
      continuation.finish()
    }
    var file: UploadFile? = try await UploadFile(.stream(pieces))
    let path = try #require(file?.url.path)
    #expect(FileManager.default.contents(atPath: path) == Data("one".utf8))
    file = try await UploadFile(.file(#filePath))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(file?.url.path == #filePath)
    file = nil
    #expect(FileManager.default.fileExists(atPath: #filePath))
  }

  @Test func `many concurrent requests, a third of them cancelled, end once each`() async throws {
    let connection = connection
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        group.addTask {
          let path = index % 3 == 0 ? "drip?count=2&interval=20&size=10" : index % 3 == 1 ? "bytes/100000" : "redirect/1"
          let task = Task { try await connection.get(path) }
          if index % 3 == 0 || index % 7 == 0 { task.cancel() }
          let result = await task.result
          if case .failure(let error) = result { #expect(error is CancellationError, "\(error)") }
        }
      }
      try await group.waitForAll()
    }
    let last = try await connection.get("hello").status
    #expect(last == .ok)
  }
}
