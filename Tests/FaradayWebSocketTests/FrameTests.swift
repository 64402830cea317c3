@testable import FaradayWebSocket
import FaradayCore
import Testing

@Suite struct FrameTests {
  /// All parts of a sequence of bytes, which arrive in pieces of this size.
  private func parts(_ bytes: [UInt8], by size: Int = .max, mayBeCompressed: Bool = false) throws -> [FrameParser.Part] {
    var parser = FrameParser(mayBeCompressed: mayBeCompressed)
    var parts: [FrameParser.Part] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      parser.append(Data(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let part = try parser.next() {
        if case .payload(let more) = part, case .payload(let before) = parts.last {
          parts[parts.count - 1] = .payload(before + more)
        } else {
          parts.append(part)
        }
      }
    }
    return parts
  }

  private func payload(of bytes: [UInt8], by size: Int = .max) throws -> Data {
    try parts(bytes, by: size).reduce(Data()) { if case .payload(let more) = $1 { $0 + more } else { $0 } }
  }

  @Test(arguments: [1, 2, 3, 5, 1000])
  func `frames are parsed in pieces of every size`(size: Int) throws {
    for (count, prefix): (Int, [UInt8]) in [
      (0, [0x82, 0]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65_535, [0x82, 126, 0xFF, 0xFF]),
      (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(try payload(of: prefix + content, by: size) == Data(content))
      #expect(try parts(prefix + content + [0x89, 0], by: size).count == (count == 0 ? 4 : 5))
    }
  }

  @Test(
    arguments: [
      ([0x83, 0], "opcode"), ([0x87, 0], "opcode"), ([0x8B, 0], "opcode"), ([0x8F, 0], "opcode"), ([0xC1, 0], "reserved bit"),
      ([0xA1, 0], "reserved bit"), ([0x91, 0], "reserved bit"), ([0x81, 0x80], "masked"), ([0x09, 0], "fragmented"),
      ([0x08, 0], "fragmented"), ([0x89, 126, 0, 126], "control frame"), ([0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0], "control frame"),
      ([0x82, 126, 0, 125], "shortest"), ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], "shortest"),
      ([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], "highest bit"),
    ] as [([UInt8], String)])
  func `a frame that a server must not send is refused`(bytes: [UInt8], problem: String) {
    let violation = #expect(throws: Violation.self) { try parts(bytes) }
    #expect(violation?.code == .protocolError)
    #expect(violation?.problem.contains(problem) == true, "\(violation?.problem ?? "")")
  }

  @Test func `the bit of compression is allowed at the beginning of a message only`() throws {
    #expect(try parts([0xC1, 0], mayBeCompressed: true).count == 2)
    for first: UInt8 in [0xC0, 0xC8, 0xC9, 0xCA] {
      #expect(throws: Violation.self) { try parts([first, 0], mayBeCompressed: true) }
    }
  }

  @Test func `a frame of a client is masked, in the three forms of its length`() {
    for (count, header): (Int, [UInt8]) in [
      (0, [0x81, 0x80]), (5, [0x81, 0x85]), (125, [0x81, 0xFD]), (126, [0x81, 0xFE, 0, 126]),
      (65_536, [0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] {
      let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
      let mask = key.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
      var bytes = Data([0xEE])
      FrameWriter.append(.text, content, mask: mask, to: &bytes)
      #expect(Array(bytes.prefix(1 + header.count + 4)) == [0xEE] + header + key)
      let masked = content.enumerated().map { $1 ^ key[$0 & 3] }
      #expect(Array(bytes.dropFirst(1 + header.count + 4)) == masked)
    }
    // RFC 6455, section 5.7.
    var hello = Data()
    let mask = ([0x37, 0xFA, 0x21, 0x3D] as [UInt8]).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    FrameWriter.append(.text, Data("Hello".utf8), mask: mask, to: &hello)
    #expect(Array(hello) == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  @Test func `each frame has another mask`() {
    var writer = FrameWriter()
    let masks = (0..<100).map { _ in
      var bytes = Data()
      writer.append(.ping, Data(), to: &bytes)
      return bytes.suffix(4)
    }
    #expect(Set(masks).count > 90)
  }
}
