import Faraday
@testable import FaradayCoding
import Foundation

extension Target {
  /// A server reads out of a form what was put into it, part by part, whatever its names and contents are.
  ///
  /// The first line is the boundary, if it can be one; four lines each are a part: name, filename, type and content.
  static let multipart = Target("multipart") { input in
    let lines = input.lines
    var form = MultipartForm()
    // A random one would make another run of each.
    form.boundary = isBoundary(lines.text(0)) ? lines.text(0) : "b"
    let boundary = Array("--\(form.boundary)".utf8)
    for start in stride(from: 1, to: min(lines.count, 17), by: 4) {
      let content = Data(lines.indices.contains(start + 3) ? lines[start + 3] : [])
      // One that was chosen at random is in no content.
      guard content.firstRange(of: boundary) == nil else { return }
      let filename = lines.text(start + 1)
      form.append(
        name: lines.text(start), data: content, filename: filename.isEmpty ? nil : filename,
        type: MediaType(lines.text(start + 2)))
    }
    guard let body = form.body.data else { fatalError("a small form is not whole") }
    expectEqual(form.body.length, Int64(body.count), "the length")
    expectEqual(MediaType(form.contentType.description)?["boundary"], form.boundary, "the boundary in \(form.contentType)")
    check(Array(body), is: form, boundary)
  }

  /// Reads it line by line (RFC 7578 and RFC 2046, section 5.1.1).
  private static func check(_ body: [UInt8], is form: MultipartForm, _ boundary: [UInt8]) {
    var rest = body[...]
    for part in form.parts {
      expectEqual(line(&rest), boundary, "the boundary")
      let filename = part.filename.map { "; filename=\"\(escaped($0))\"" } ?? ""
      expectEqual(
        line(&rest).map(text), "Content-Disposition: form-data; name=\"\(escaped(part.name))\"\(filename)", "the disposition")
      if let type = part.type { expectEqual(line(&rest).map(text), "Content-Type: \(type)", "the type") }
      expectEqual(line(&rest), [], "the end of the head")
      guard let end = rest.firstRange(of: [0x0D, 0x0A] + boundary) else { fatalError("a part without an end") }
      expect(part.body.data.map { $0.elementsEqual(rest[..<end.lowerBound]) } == true, "the content")
      rest = rest[(end.lowerBound + 2)...]
    }
    expectEqual(line(&rest), boundary + Array("--".utf8), "the last boundary")
    expect(rest.isEmpty, "there is something behind the form")
  }

  /// Takes a line, without its CR and LF; a lone LF ends none.
  private static func line(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let end = rest.firstRange(of: [0x0D, 0x0A]) else { return nil }
    defer { rest = rest[end.upperBound...] }
    let line = Array(rest[..<end.lowerBound])
    expect(!line.contains(0x0A) && !line.contains(0x0D), "a line within a line")
    return line
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 { bytes += [0x22, 0x0D, 0x0A].contains(byte) ? percentEncoded(byte) : [byte] }
    return self.text(bytes)
  }

  /// RFC 2046, section 5.1.1.
  private static func isBoundary(_ text: String) -> Bool {
    let characters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'()+_,-./:=? ".utf8)
    return (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { characters.contains($0) } && !text.hasSuffix(" ")
      && !text.hasPrefix(" ")
  }
}
