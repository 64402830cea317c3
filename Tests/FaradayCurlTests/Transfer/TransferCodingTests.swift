@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

/// Bodies that a server has compressed on their way: `Transfer-Encoding: gzip, chunked`.
@Suite struct TransferCodingTests {
  /// `Hello, gzip!`, compressed.
  private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA/NIzcnJ11FIr8osUAQAPj0PEAwAAAA=") ?? Data()

  /// Sends a request with this `TE` to a server that answers in this coding.
  private func response(
    te: String? = "gzip", coding: String = "gzip, chunked", fields: String = "", body: Data = gzip, isChunked: Bool = true,
    edit: @Sendable (inout Request) -> Void = { _ in }
  ) async throws -> Response {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\(fields)\r\n"
      let start = isChunked ? String(body.count, radix: 16) + "\r\n" : ""
      try connection.send(Array((head + start).utf8) + Array(body) + (isChunked ? Array("\r\n0\r\nX-Sum: 1\r\n\r\n".utf8) : []))
    }
    defer { server.stop() }
    return try await server.connection().get {
      if let te {
        try $0.headers.set(name: "Connection", value: "TE")
        try $0.headers.set(name: "TE", value: te)
      }
      edit(&$0)
    }
  }

  @Test(arguments: ["gzip", "GZIP;q=0.5", "trailers, gzip"]) func `a requested transfer coding is decoded`(_ te: String)
    async throws
  {
    let buffered = try await response(te: te)
    #expect(try await buffered.body.utf8Text() == "Hello, gzip!")
    #expect(buffered.trailers["X-Sum"] == "1")
    let streamed = try await response(te: te, coding: "x-gzip,chunked") { $0.options.delivery = .streamed }
    #expect(try await streamed.body.collect() == Data("Hello, gzip!".utf8))
  }

  @Test func `a transfer coding is decoded before the content coding`() async throws {
    let empty = try await response(te: "gzip", fields: "Content-Encoding: identity\r\n") { $0.options.decompression = .standard }
    #expect(try await empty.body.utf8Text() == "Hello, gzip!")
  }

  @Test(arguments: [
    (nil, "gzip, chunked", true), ("trailers", "gzip, chunked", true), ("gzip;q=0", "gzip, chunked", true),
    ("gzip", "odd, chunked", true), ("gzip", "gzip", false), ("gzip", "chunked, gzip", true),
  ])
  func `an unrequested transfer coding is an error`(_ te: String?, _ coding: String, _ isChunked: Bool) async throws {
    let error = await #expect(throws: TransportError.self) { try await response(te: te, coding: coding, isChunked: isChunked) }
    #expect(error?.code == .malformedResponse)
  }

  @Test func `a corrupt or too large transfer coding is an error`() async throws {
    let broken = await #expect(throws: TransportError.self) {
      try await response(body: Data("nothing of gzip".utf8)).body.utf8Text()
    }
    #expect(broken?.code == .decompressionFailed)
    let large = await #expect(throws: TransportError.self) {
      try await response { $0.options.decompression = Decompression(maximumSize: 5) }.body.utf8Text()
    }
    #expect(large?.code == .decompressionLimit)
  }
}
