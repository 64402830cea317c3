import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Compressed request bodies, of which a server returns the bytes that it received.
@Suite(.watchdog) struct CompressionTests {
  enum Source: CaseIterable {
    case bytes, manyBytes, file, stream
  }

  private static let text = (0..<300_000).map { "\($0) " }.joined()

  private func decoded(_ bytes: Data, _ coding: String) async throws -> Data {
    let url = try #require(URL(string: "http://host/"))
    var request = Request(url: url)
    request.options.decompression = Decompression(maximumRatio: .max)
    let response = Response(status: .ok, headers: [.contentEncoding: coding], body: .data(bytes), url: url)
    return try await response.decoded(for: request).body.collect()
  }

  private func makeBody(_ source: Source) throws -> (body: Body, content: Data) {
    let content = Data((source == .bytes ? Self.text.prefix(100_000) : Self.text[...]).utf8)
    switch source {
    case .bytes, .manyBytes: return (.data(content, contentType: .form), content)
    case .file:
      let path = FileManager.default.temporaryDirectory.appending(path: "faraday-\(UUID())").path()
      try content.write(to: URL(filePath: path))
      return (try .file(path), content)
    case .stream:
      let pieces = AsyncStream<Data> { stream in
        for start in stride(from: 0, to: content.count, by: 100_000) {
          stream.yield(content[start..<min(start + 100_000, content.count)])
        }
        stream.finish()
      }
      return (.stream(pieces), content)
    }
  }

  @Test(arguments: [HTTPField.Name.contentEncoding, .contentDigest, .reprDigest])
  func `a body that a field describes is not compressed`(name: HTTPField.Name) throws {
    let body = String(repeating: "a", count: 2000)
    var request = try Request(.post, "http://host/", headers: [name: "x"], body: .text(body))
    try request.compressBody()
    #expect(request.body.data == Data(body.utf8) && request.headers == [name: "x"])
    #expect(try Compression().transformed(request, capabilities: .all).body.data == Data(body.utf8))
  }

  @Test(arguments: TestedAdapter.allCases, Source.allCases)
  func `a server receives any body compressed`(tested: TestedAdapter, source: Source) async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: tested.adapter)
    for compression in BodyCompression.allCases {
      let (body, content) = try makeBody(source)
      let response = try await connection.put("echo", headers: ["Content-Length": "\(content.count)"], body: body) {
        try $0.compressBody(compression)
      }
      let received = try await response.body.collect()
      #expect(received.count < content.count / 2)
      #expect(try await decoded(received, compression.rawValue) == content)
      #expect(response.headers[.contentType] == (body.data == nil ? nil : MediaType.form.description))
      if let path = body.file?.path { try FileManager.default.removeItem(atPath: path) }
    }
    let inspected = try await Inspected(
      connection.put("inspect", body: makeBody(.manyBytes).body) { try $0.compressBody() })
    #expect(inspected.values("content-encoding") == ["gzip"])
    let small = try await Inspected(connection.put("inspect", body: "hello") { try $0.compressBody() })
    #expect(small.values("content-length") == ["\(small.bodyLength)"])
  }

  @Test func `each piece of a stream reaches the server before the next piece exists`() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter)
    let (pieces, source) = AsyncStream<Data>.makeStream()
    source.yield(Data("first\n".utf8))
    var request = try connection.request(.post, "echo", body: .stream(pieces)) {
      $0.options.delivery = .streamed
      $0.options.decompression = .standard
      try $0.compressBody()
    }
    request.headers[.contentType] = "text/plain"
    let echo = try await connection.send(request)
    let url = try #require(URL(string: "http://host/"))
    let answer = Response(status: .ok, headers: [.contentEncoding: "gzip"], body: echo.body, url: url)
    var lines: [String] = []
    for try await piece in answer.decoded(for: request).body {
      lines.append(String(decoding: piece, as: UTF8.self))
      if lines.count == 1 { source.yield(Data("second\n".utf8)) } else { source.finish() }
    }
    #expect(lines == ["first\n", "second\n"])
  }

  @Test func `a range of a file is compressed as densely as the file`() async throws {
    let (body, _) = try makeBody(.file)
    let path = try #require(body.file?.path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let url = try #require(URL(string: "http://host/"))
    var (file, range) = (Request(.put, url: url, body: body), try Request(.put, url: url, body: .file(path, range: 0...)))
    try file.compressBody()
    try range.compressBody()
    #expect(try await range.body.collect() == file.body.collect())
  }

  @Test func `nothing changes without a body, or if the body has a coding`() throws {
    let connection = try Connection("http://host/", adapter: MockAdapter())
    let empty = try connection.request(.post, "x") { try $0.compressBody() }
    #expect(empty.headers[.contentEncoding] == nil && empty.body.isEmpty)
    let coded = try connection.request(.post, "x", headers: ["Content-Encoding": "br"], body: "coded") { try $0.compressBody() }
    #expect(coded.headers[values: .contentEncoding] == ["br"] && coded.body.data == Data("coded".utf8))
    var twice = try connection.request(.post, "x", body: "hello") { try $0.compressBody() }
    let once = twice.body.data
    try twice.compressBody(.deflate)
    #expect(twice.headers[values: .contentEncoding] == ["gzip"] && twice.body.data == once)
  }

  @Test func `a value cannot be compressed before it is encoded`() async throws {
    let connection = try Connection("http://host/", adapter: MockAdapter(), middleware: .standard)
    let error = await #expect(throws: TransportError.self) {
      try await connection.post("x", body: .encodable(["a": 1])) { try $0.compressBody() }
    }
    #expect(error?.code == .invalidBody)
  }

  @Test func `the middleware compresses encoded values and large bodies, and passes on all others`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection(
      "http://host/", adapter: mock, middleware: .standard(compression: .compression(.deflate, minimumSize: 100)))
    let value = ["text": String(repeating: "a", count: 200)]
    _ = try await connection.post("x", body: .encodable(value))
    _ = try await connection.post("x", body: .encodable(["a": 1]))
    _ = try await connection.get("x")
    _ = try await connection.post("x", headers: ["Content-Encoding": "br"], body: .data(Data(count: 200)))
    _ = try await connection.post("x", body: makeBody(.stream).body)
    #expect(mock.recorded.map { $0.request.headers[.contentEncoding] } == ["deflate", nil, nil, "br", "deflate"])
    #expect(mock.recorded[0].request.headers[.contentType] == MediaType.json.description)
    let sent = try await decoded(mock.recorded[0].body, "deflate")
    #expect(try JSONDecoder().decode([String: String].self, from: sent) == value)
  }

  @Test func `a body of the minimum size is compressed, and a smaller one is not`() async throws {
    let mock = MockAdapter(isStrict: false)
    let connection = try Connection("http://host/", adapter: mock, middleware: [.compression(minimumSize: 100)])
    for count in 99...100 { _ = try await connection.post("x", body: .data(Data(count: count))) }
    #expect(mock.recorded.map { $0.request.headers[.contentEncoding] } == [nil, "gzip"])
  }

  @Test(arguments: Source.allCases) func `a body is sent again for a retry and a redirect if its source can be`(
    source: Source
  ) async throws {
    let mock = MockAdapter(isStrict: false)
    try mock.stub(.put, path: "/x", status: .serviceUnavailable, headers: [.retryAfter: "0"], times: 1)
    try mock.stub(.put, path: "/x", status: .temporaryRedirect, headers: [.location: "/y"])
    try mock.stub(.put, path: "/y", status: .seeOther, headers: [.location: "/z"])
    let connection = try Connection("http://host/", adapter: mock, middleware: .standard)
    let (body, content) = try makeBody(source)
    let response = try await connection.put("x", body: body) { try $0.compressBody() }
    guard source != .stream else {
      #expect(response.status == .serviceUnavailable)
      return
    }
    let recorded = mock.recorded
    #expect(recorded.map(\.request.method) == [.put, .put, .put, .get])
    #expect(recorded.map { $0.request.headers[.contentEncoding] } == ["gzip", "gzip", "gzip", nil])
    #expect(Set(recorded.map(\.body)).count == 2)
    #expect(try await decoded(recorded[2].body, "gzip") == content)
    if let path = body.file?.path { try FileManager.default.removeItem(atPath: path) }
  }

  @Test(arguments: [Source.bytes, .manyBytes, .file]) func `a signature signs the compressed bytes`(source: Source) async throws {
    let mock = MockAdapter(isStrict: false)
    let key = AWSCredentials(accessKey: "a", secretKey: "b")
    let connection = try Connection(
      "http://host/", adapter: mock,
      middleware: .standard(
        compression: .compression, signature: .awsSignature(region: "us-east-1", service: "s3", credentials: key)))
    let (body, content) = try makeBody(source)
    _ = try await connection.put("x", body: body)
    let sent = try #require(mock.recorded.first)
    var hash = SHA256()
    hash.update(sent.body.span)
    let name = try #require(HTTPField.Name("X-Amz-Content-Sha256"))
    #expect(sent.request.headers[name] == hash.finish().hexadecimal)
    #expect(try await decoded(sent.body, "gzip") == content)
    if let path = body.file?.path { try FileManager.default.removeItem(atPath: path) }
  }

  @Test(arguments: TestedAdapter.allCases, [-1, 1]) func `a body of another length than stated is an error`(
    tested: TestedAdapter, difference: Int64
  ) async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: tested.adapter)
    let pieces = AsyncStream<Data> { stream in
      stream.yield(Data("hello".utf8))
      stream.finish()
    }
    let error = await #expect(throws: TransportError.self) {
      try await connection.put("echo", body: .stream(pieces, length: 5 + difference)) { try $0.compressBody() }
    }
    #expect(error?.code == .bodyLengthMismatch)
  }

  @Test func `a compressed body waits for a 100 response`() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    let connection = try Connection(server.url + "/", adapter: TestedAdapter.curl.adapter)
    let response = try await connection.put("inspect", body: makeBody(.stream).body) {
      $0.options.expectContinue = ExpectContinue(minimumBodySize: 1 << 20)
      try $0.compressBody()
    }
    let inspected = try await Inspected(response)
    #expect(inspected.values("expect") == ["100-continue"])
    #expect(inspected.framing == "chunked" && inspected.bodyLength > 0)
  }
}
