@_spi(Adapters) import FaradayCore
import Testing

@testable import FaradayCurl

@Suite struct ResponseParserTests {
  /// Parses lines until an error. Returns the result of each line, and the parser after them.
  private func parse(
    _ lines: [String], to method: HTTPRequest.Method = .get, isHTTP2: Bool = false
  ) throws -> (events: [ResponseParser.Event], parser: ResponseParser) {
    var parser = ResponseParser(to: method)
    var events: [ResponseParser.Event] = []
    for line in lines {
      let bytes = Array((line + "\r\n").utf8)
      events.append(try bytes.withUnsafeBytes { try parser.take($0, isHTTP2: isHTTP2) })
    }
    return (events, parser)
  }

  private func problem(
    _ lines: [String], to method: HTTPRequest.Method = .get, isHTTP2: Bool = false
  ) -> TransportError.Code? {
    do {
      _ = try parse(lines, to: method, isHTTP2: isHTTP2)
      return nil
    } catch {
      return (error as? ResponseParser.Problem)?.code
    }
  }

  @Test func `informational heads come before the final one, and only the final one is kept`() throws {
    let (events, parser) = try parse([
      "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "Content-Length: 5", "",
    ])
    #expect(events == [.begun, .informational, .begun, .field, .informational, .begun, .field, .head])
    #expect(parser.isComplete && parser.status == 200 && parser.length == 5)
    #expect(parser.head.parsed().response.headerFields.map(\.description) == ["Content-Length: 5"])
  }

  @Test func `framing of an informational head does not apply to the final one`() throws {
    let early = ["HTTP/1.1 103 Early Hints", "Content-Length: 9", "Transfer-Encoding: chunked", "Connection: close", ""]
    let parser = try parse(early + ["HTTP/1.1 200 OK", ""]).parser
    #expect(parser.length == nil && !parser.framing.isChunked && !parser.framing.closesConnection)
  }

  @Test(
    arguments: [
      (HTTPRequest.Method.get, "200 OK", "Content-Length: 5", 5), (.get, "200 OK", "X: y", nil),
      (.get, "204 No Content", "X: y", 0),
      (.get, "304 Not Modified", "Content-Length: 5", 0), (.head, "200 OK", "Content-Length: 5", 0),
      (.head, "200 OK", "Transfer-Encoding: chunked", 0), (.get, "200 OK", "Transfer-Encoding: chunked", nil),
    ] as [(HTTPRequest.Method, String, String, Int64?)])
  func `the length is the length of the body that follows`(
    method: HTTPRequest.Method, status: String, field: String, length: Int64?
  )
    throws
  {
    var parser = try parse(["HTTP/1.1 \(status)", field], to: method).parser
    #expect(!parser.isComplete && !parser.isWhole(received: length ?? 0))
    _ = try ([0x0D, 0x0A] as [UInt8]).withUnsafeBytes { try parser.take($0, isHTTP2: false) }
    #expect(parser.isComplete && parser.length == length)
    #expect(parser.isWhole(received: length ?? 0) == (length != nil))
    #expect(!parser.isWhole(received: 4) || parser.hasNoBody)
  }

  @Test func `a chunked body is complete after its last chunk, and its trailers are kept`() throws {
    var parser = try parse(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""]).parser
    let body = Array("1\r\na\r\n0\r\nX: y\r\n\r\n".utf8)
    var offset = 0
    loop: while true {
      #expect(!parser.isWhole(received: 1))
      let step = body.withUnsafeBytes { parser.framing.chunks?.next(in: $0, at: &offset) }
      switch step {
      case .data(let count):
        parser.framing.chunks?.take(count)
        offset += count
      case .trailer: try parser.takeTrailer()
      default: break loop
      }
    }
    #expect(parser.isWhole(received: 1))
    // libcurl delivers these bytes itself.
    let again = try Array("X: y\r\n".utf8).withUnsafeBytes { try parser.take($0, isHTTP2: false) }
    #expect(again == .trailer && String(decoding: parser.trailers, as: UTF8.self) == "X: y\r\n")
  }

  @Test func `lines after the final head are trailers`() throws {
    let (events, parser) = try parse(["HTTP/2 200", "", "X: y", "HTTP/2 500"], isHTTP2: true)
    #expect(events == [.begun, .head, .trailer, .trailer])
    #expect(parser.status == 200 && String(decoding: parser.trailers, as: UTF8.self) == "X: y\r\nHTTP/2 500\r\n")
  }

  @Test(arguments: [
    [""], ["X: y"], ["HTTP/1.1 20"], ["HTTP/2 200"], ["HTTP/3 200"], ["HTTP/1.1 101 Switching Protocols", ""],
    ["HTTP/1.1 200 OK", " X: y"], ["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"],
    ["HTTP/1.1 200 OK", "Transfer-Encoding: gzip", ""],
    ["HTTP/1.1 200 OK", "Transfer-Encoding: identity", "Content-Length: 5", ""],
    ["HTTP/1.1 100 Continue", "", "X: y"],
  ])
  func `a response that is not HTTP, or has an unexpected version, is malformed`(lines: [String]) {
    #expect(problem(lines) == .malformedResponse)
  }

  @Test func `a head with rejected framing is still parsed completely`() throws {
    var parser = ResponseParser(to: .get)
    let lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: gzip", ""]
    #expect(throws: ResponseParser.Problem.self) {
      for line in lines { _ = try Array((line + "\r\n").utf8).withUnsafeBytes { try parser.take($0, isHTTP2: false) } }
    }
    #expect(parser.isComplete && parser.head.parsed().response.status == .ok)
  }

  @Test func `a negotiated version must not change`() {
    #expect(problem(["HTTP/1.1 200 OK"], isHTTP2: true) == .malformedResponse)
    #expect(problem(["HTTP/2 100", "", "HTTP/1.1 200 OK"], isHTTP2: true) == .malformedResponse)
    #expect(problem(["HTTP/2 100", "", "HTTP/2 200", ""], isHTTP2: true) == nil)
  }

  @Test(arguments: [(0, nil), (1, TransportError.Code.headTooLarge)])
  func `limits on lines and bytes count all heads and trailers together`(more: Int, code: TransportError.Code?) {
    let lines = ["HTTP/1.1 103 Early Hints", "X: y", "", "HTTP/1.1 200 OK", ""]
    #expect(problem(lines + Array(repeating: "X: y", count: ResponseLimits.lines - lines.count + more)) == code)
    // Two bytes end each line.
    let size = lines.reduce(0) { $0 + $1.utf8.count + 2 }
    let filler = "X: " + String(repeating: "y", count: ResponseParser.maximumSize - size - 5 + more)
    #expect(problem(lines + [filler]) == code)
  }

  @Test func `chunked trailers count in the limits`() throws {
    var parser = try parse(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""]).parser
    let body = Array(("0\r\n" + String(repeating: "X: y\r\n", count: ResponseLimits.lines)).utf8)
    var offset = 0
    var taken = 0
    let error = #expect(throws: ResponseParser.Problem.self) {
      while body.withUnsafeBytes({ parser.framing.chunks?.next(in: $0, at: &offset) }) == .trailer {
        try parser.takeTrailer()
        taken += 1
      }
    }
    #expect(error?.code == .headTooLarge && taken == ResponseLimits.lines - 3)
  }
}
