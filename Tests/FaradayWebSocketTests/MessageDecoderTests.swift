@testable import FaradayWebSocket
import FaradayContentCoding
import FaradayCore
import Testing

@Suite struct MessageDecoderTests {
  private func events(
    _ bytes: [UInt8], by size: Int = .max, limit: Int = 1000, inflation: MessageInflater? = nil
  ) throws(Violation) -> [MessageDecoder.Event] {
    var decoder = MessageDecoder(limit: limit, inflation: inflation)
    var events: [MessageDecoder.Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      decoder.append(Data(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let event = try decoder.next() { events.append(event) }
    }
    return events
  }

  private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    payload.count < 126
      ? [first, UInt8(payload.count)] + payload
      : [first, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  }

  @Test(arguments: [1, 2, 7, 1000])
  func `messages of one frame and of several are decoded, with control frames between them`(size: Int) throws {
    let bytes =
      frame(0x81, Array("Hello".utf8)) + frame(0x01, Array("Hel".utf8)) + frame(0x89, [1, 2]) + frame(0x00, [])
      + frame(0x8A, []) + frame(0x80, Array("lo".utf8)) + frame(0x82, [0, 0xFF]) + frame(0x81, [])
      + frame(0x88, [0x03, 0xE8] + Array("bye".utf8))
    #expect(
      try events(bytes, by: size) == [
        .message(.text("Hello")), .ping(Data([1, 2])), .pong(Data()), .message(.text("Hello")),
        .message(.binary(Data([0, 0xFF]))), .message(.text("")), .close(.normal, "bye"),
      ])
  }

  @Test func `a message is no slice of the received bytes`() throws {
    guard case .message(.binary(let data)) = try events(frame(0x82, [1, 2, 3])).first else {
      Issue.record("no message")
      return
    }
    #expect(data.startIndex == 0)
    #expect(data[0] == 1)
  }

  @Test(
    arguments: [
      ([0x80, 0], "no message to continue"), ([0x00, 0], "no message to continue"), ([0x01, 0, 0x81, 0], "within another"),
      ([0x01, 0, 0x82, 0], "within another"), ([0x88, 1, 3], "one byte"),
    ] as [([UInt8], String)])
  func `a wrong order of frames is refused`(bytes: [UInt8], problem: String) {
    let violation = #expect(throws: Violation.self) { try events(bytes) }
    #expect(violation?.code == .protocolError)
    #expect(violation?.problem.contains(problem) == true)
  }

  @Test func `codes that must not be sent are refused`() throws {
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
      let bytes = frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
      #expect(throws: Violation.self, "\(code)") { try events(bytes) }
    }
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] {
      let bytes = frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
      #expect(try events(bytes) == [.close(.init(rawValue: UInt16(code)), "")])
    }
    #expect(try events([0x88, 0]) == [.close(nil, "")])
  }

  @Test func `invalid UTF-8 is refused at its first wrong byte`() {
    // Each is valid up to its last byte.
    for text: [UInt8] in [
      [0x61, 0x80], [0xC0], [0xC1], [0xC3, 0x28], [0xE0, 0x9F], [0xED, 0xA0], [0xE1, 0x80, 0xC0], [0xF0, 0x8F], [0xF4, 0x90],
      [0xF5], [0xFF], [0xF1, 0x80, 0x80, 0x20], Array("0123456789".utf8) + [0xFE],
    ] {
      // The message would go on.
      let violation = #expect(throws: Violation.self) { try events(frame(0x01, text)) }
      #expect(violation?.code == .invalidPayload)
      #expect((try? events(frame(0x01, text.dropLast()))) == [])
    }
    // Incomplete at the end of the message.
    #expect(throws: Violation.self) { try events(frame(0x81, [0xC3])) }
    #expect(throws: Violation.self) { try events(frame(0x01, [0xE2, 0x82]) + frame(0x80, [])) }
    #expect(throws: Violation.self) { try events(frame(0x88, [0x03, 0xE8, 0xC3])) }
  }

  @Test func `a character may be divided among fragments`() throws {
    let euro: [UInt8] = [0xE2, 0x82, 0xAC]
    #expect(
      try events(frame(0x01, Array(euro[..<1])) + frame(0x00, Array(euro[1..<2])) + frame(0x80, Array(euro[2...])))
        == [.message(.text("€"))])
    #expect(try events(frame(0x81, [0xF4, 0x8F, 0xBF, 0xBF, 0xEF, 0xBF, 0xBF])) == [.message(.text("\u{10FFFF}\u{FFFF}"))])
  }

  @Test func `a message above the limit is refused as soon as its size is known`() throws {
    let fits = frame(0x82, Array(repeating: 0, count: 1000))
    #expect(try events(fits).count == 1)
    for bytes: [UInt8] in [
      [0x82, 126, 0x03, 0xE9], [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      frame(0x02, Array(repeating: 0, count: 600)) + [0x00, 126, 0x01, 0x91],
    ] {
      let violation = #expect(throws: Violation.self) { try events(bytes) }
      #expect(violation?.code == .messageTooBig)
    }
  }

  // MARK: compression (RFC 7692)

  @Test(arguments: [1, 3, 1000])
  func `the examples of RFC 7692 are decompressed`(size: Int) throws {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let inflation = MessageInflater(keepsContext: true)
    let bytes =
      frame(0xC1, hello) + frame(0x41, Array(hello[..<3])) + frame(0x80, Array(hello[3...]))
      // Takes over the context; a stored block; a block marked as the last one; two blocks; an empty message.
      + frame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00])
      + frame(0xC1, [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00])
      + frame(0xC1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00])
      + frame(0xC1, [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00])
      + frame(0xC1, [0x00]) + frame(0x81, Array("plain".utf8))
    let texts = try events(bytes, by: size, inflation: inflation).map { event in
      if case .message(let message) = event { message.text ?? "" } else { "" }
    }
    #expect(texts == ["Hello", "Hello", "Hello", "Hello", "Hello", "Hello", "", "plain"])
  }

  @Test func `compressed messages are limited by their decompressed size`() throws {
    let deflater = MessageDeflater(keepsContext: false)
    let bomb = try deflater.compress(Data(count: 1 << 20), isEnd: true)
    #expect(bomb.count < 2000)
    let violation = #expect(throws: Violation.self) {
      try events(frame(0xC2, Array(bomb)), limit: 100_000, inflation: MessageInflater(keepsContext: true))
    }
    #expect(violation?.code == .messageTooBig)
    #expect(
      try events(frame(0xC2, Array(bomb)), limit: 1 << 20, inflation: MessageInflater(keepsContext: true))
        == [.message(.binary(Data(count: 1 << 20)))])
  }

  @Test func `compressed blocks without content are limited`() {
    // Stored blocks of length 0, and blocks that are marked as the last one.
    let cases: [(block: [UInt8], code: WebSocket.CloseCode)] = [
      ([0x00, 0x00, 0x00, 0xFF, 0xFF], .messageTooBig), ([0x03, 0x00], .invalidPayload),
    ]
    for (block, code) in cases {
      var decoder = MessageDecoder(limit: 1000, inflation: MessageInflater(keepsContext: true))
      let violation = #expect(throws: Violation.self) {
        decoder.append(Data([0xC2, 127, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00]))
        while try decoder.next() != nil {}
        for _ in 0..<10_000 {
          decoder.append(Data(block))
          while try decoder.next() != nil {}
        }
      }
      #expect(violation?.code == code)
    }
  }

  @Test func `malformed compressed data is refused`() {
    let violation = #expect(throws: Violation.self) {
      try events(frame(0xC1, [0xFF, 0xFF, 0xFF]), inflation: MessageInflater(keepsContext: true))
    }
    #expect(violation?.code == .invalidPayload)
  }

  @Test(arguments: [true, false], [9, 12, 15] as [Int32])
  func `what the client compresses is decompressed`(keepsContext: Bool, window: Int32) throws {
    let deflater = MessageDeflater(keepsContext: keepsContext, window: window)
    var decoder = MessageDecoder(limit: 1 << 20, inflation: MessageInflater(keepsContext: keepsContext))
    let texts = ["Hello", "Hello", "", "", String(repeating: "abc", count: 50_000), "end"]
    for text in texts {
      let payload = try deflater.compress(Data(text.utf8), isEnd: true)
      decoder.append(Data(longFrame(0xC1, Array(payload))))
      #expect(try decoder.next() == .message(.text(text)))
      #expect(try decoder.next() == nil)
    }
    // In parts, some without bytes.
    var payload = Data()
    for part in ["", "one ", "", "two"] { payload += try deflater.compress(Data(part.utf8), isEnd: false) }
    payload += try deflater.compress(Data(), isEnd: true)
    decoder.append(Data(longFrame(0xC1, Array(payload))))
    #expect(try decoder.next() == .message(.text("one two")))
  }

  private func longFrame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    payload.count < 65_536
      ? frame(first, payload) : [first, 127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) } + payload
  }
}
