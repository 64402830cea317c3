import Faraday
@testable import FaradayCurl

extension Target {
  /// The head of a response: a status line is one to the letter or none, and what the framing goes by is what the fields say.
  static let head = Target("head") { input in
    var parser = ResponseParser(to: .get)
    var isFirst = true
    for line in lines(of: input.bytes) {
      let event: ResponseParser.Event
      do {
        event = try line.withUnsafeBytes { line in
          if isFirst { expectEqual(StatusLine(line)?.status, statusByHand(line), "the status of \(Array(line))") }
          return try parser.take(line, isHTTP2: false)
        }
      } catch { return }
      // libcurl hands over no more of a head.
      if event == .head { break }
      isFirst = event == .informational
    }
    let (response, version) = parser.head.parsed()
    expectEqual(response.status.code, parser.status, "the status")
    let framing = parser.framing
    for field in response.headerFields {
      let bytes = field.withUnsafeBytesOfValue { Array($0) }
      expect(!bytes.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "a field ends the line: \(bytes)")
    }
    check(framing, against: response.headerFields, version)
  }

  /// No field is read in two ways.
  private static func check(_ framing: Framing, against fields: HTTPFields, _ version: HTTPVersion) {
    let lengths = words(of: fields, "Content-Length")
    if let length = framing.contentLength {
      expect(length >= 0, "a length of \(length)")
      expect(!lengths.isEmpty, "a length that no field states")
    }
    for length in lengths { expectEqual(Int64(length), framing.contentLength, "a field's length") }
    let codings = words(of: fields, "Transfer-Encoding").flatMap { $0.split { $0 == " " || $0 == "\t" } }.map { $0.lowercased() }
    expectEqual(codings.contains("chunked"), framing.isChunked, "chunked")
    expectEqual(framing.chunks != nil, framing.isChunked, "whether chunks are taken apart")
    expectEqual(codings.contains { $0 != "chunked" && $0 != "identity" }, !framing.codings.isEmpty, "another coding")
    if framing.isChunked {
      expectEqual(codings.last, "chunked", "the last coding")
      expectEqual(framing.length, nil, "the length of a chunked body")
    }
    let options = words(of: fields, "Connection").flatMap { $0.split { $0 == " " || $0 == "\t" } }.map { $0.lowercased() }
    expectEqual(version == .http1_0 || options.contains("close"), framing.closesConnection, "close")
  }

  private static func words(of fields: HTTPFields, _ name: String) -> [String] {
    guard let name = HTTPField.Name(name) else { return [] }
    return fields[fields: name].flatMap { field in
      field.withUnsafeBytesOfValue { bytes in
        bytes.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self).withoutBlanks }
      }
    }.filter { !$0.isEmpty }
  }

  private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
    var rest = bytes[...]
    var lines: [[UInt8]] = []
    while let feed = rest.firstIndex(of: 0x0A) {
      lines.append(Array(rest[...feed]))
      rest = rest[(feed + 1)...]
    }
    return lines
  }

  /// `HTTP/1.1 200 OK`, the reason and the blank before it left out or not (RFC 9112, section 4).
  private static func statusByHand(_ line: UnsafeRawBufferPointer) -> Int? {
    let end = line.lastIndex { $0 != 0x0D && $0 != 0x0A }.map { $0 + 1 } ?? 0
    let line = Array(line[..<end])
    for version in ["HTTP/1.0 ", "HTTP/1.1 ", "HTTP/2 ", "HTTP/3 "] where line.starts(with: version.utf8) {
      let rest = line.dropFirst(version.utf8.count)
      guard rest.count == 3 || rest.count > 3 && rest[rest.startIndex + 3] == 0x20 else { return nil }
      let digits = String(decoding: rest.prefix(3), as: UTF8.self)
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(digits), status >= 100 else { return nil }
      return status
    }
    return nil
  }
}
