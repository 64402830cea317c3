import FaradayCoding
import FaradayCore
import FaradayTesting
import Synchronization
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct LineTests {
  private func split(_ pieces: [String], upTo limit: Int = 1 << 20, stoppingAt last: Int = .max) throws -> [String] {
    try split(pieces.map { Data($0.utf8) }, upTo: limit, stoppingAt: last)
  }

  private func split(_ pieces: [Data], upTo limit: Int = 1 << 20, stoppingAt last: Int = .max) throws -> [String] {
    let lines = Log<String>()
    let splitter = LineSplitter(upTo: limit) { line in
      lines.append(line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      return lines.elements.count == last ? .cancel : .continue
    }
    for piece in pieces {
      if try splitter.take(piece.span.bytes) == .cancel { return lines.elements }
    }
    try splitter.finish()
    return lines.elements
  }

  private func read(_ pieces: [String], upTo limit: Int = 1 << 20) async throws -> [String] {
    try await read(pieces.map { Data($0.utf8) }, upTo: limit)
  }

  private func read(_ pieces: [Data], upTo limit: Int = 1 << 20) async throws -> [String] {
    var lines: [String] = []
    let body = Body.stream(Pieces(pieces))
    for try await line in body.dataLines(upTo: limit) { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  @Test func `a line over the limit is an error even if its end never comes`() async {
    for pieces in [["12345\n"], ["123", "45\n"], ["12345"], ["123", "45"], ["1\n12345\n"], ["12345\r"], ["1\r12345"]] {
      #expect(throws: BodyError(.lineTooLong(limit: 4))) { try split(pieces, upTo: 4) }
      await #expect(throws: BodyError(.lineTooLong(limit: 4))) { try await read(pieces, upTo: 4) }
    }
  }

  @Test(
    arguments: [
      ([], []), ([""], []), (["a"], ["a"]), (["a\n"], ["a"]), (["a\nb"], ["a", "b"]), (["a\r\nb\r\n"], ["a", "b"]),
      (["a\r", "\nb"], ["a", "b"]), (["\n\n"], ["", ""]), (["a", "b", "c\nd", "\n"], ["abc", "d"]), (["a\rb\n"], ["a", "b"]),
      (["1234\n", "5"], ["1234", "5"]), (["a\rb\r"], ["a", "b"]), (["\r"], [""]), (["\r\r"], ["", ""]), (["\n\r"], ["", ""]),
      (["a\r", "b"], ["a", "b"]), (["a\r\n", "\nb"], ["a", "", "b"]), (["a\r", "", "\nb"], ["a", "b"]), (["a\r", "\n"], ["a"]),
      (["a\r", "\r\n"], ["a", ""]), (["\r\n\r", "\n"], ["", ""]), (["a\nb\rc\r\nd"], ["a", "b", "c", "d"]),
    ] as [([String], [String])]) func `lines do not depend on how the bytes are split`(pieces: [String], lines: [String])
    async throws
  {
    #expect(try split(pieces) == lines)
    #expect(try await read(pieces) == lines)
    let bytes = pieces.joined().utf8.map { Data([$0]) }
    #expect(try split(bytes) == lines)
    #expect(try await read(bytes) == lines)
  }

  @Test func `a line that ends with CR is delivered before the next byte`() async throws {
    let lines = Log<Int>()
    let splitter = LineSplitter { line in
      lines.append(line.byteCount)
      return .continue
    }
    _ = try splitter.take(Array("ab\r".utf8).span.bytes)
    #expect(lines.elements == [2])
    _ = try splitter.take(Array("\n".utf8).span.bytes)
    #expect(lines.elements == [2])
    try splitter.finish()
    #expect(lines.elements == [2])
  }

  @Test func `every text of up to five letters and line ends splits alike in all pieces`() async throws {
    let alphabet: [UInt8] = [0x61, 0x0A, 0x0D]
    var texts: [[UInt8]] = [[]]
    for _ in 0..<5 { texts += texts.flatMap { text in alphabet.map { text + [$0] } } }
    for text in Set(texts) {
      let expected = Self.lines(text)
      for cuts in 0..<(1 << max(0, text.count - 1)) {
        var pieces = [Data()]
        for (index, byte) in text.enumerated() {
          pieces[pieces.count - 1].append(byte)
          if cuts >> index & 1 == 1 { pieces.append(Data()) }
        }
        #expect(try split(pieces) == expected)
        if cuts % 3 == 0 { #expect(try await read(pieces) == expected) }
      }
    }
  }

  /// Splits lines by looking at each byte.
  private static func lines(_ text: [UInt8]) -> [String] {
    var lines: [String] = []
    var line: [UInt8] = []
    for (index, byte) in text.enumerated() {
      switch byte {
      case 0x0A where index > 0 && text[index - 1] == 0x0D: break
      case 0x0A, 0x0D:
        lines.append(String(decoding: line, as: UTF8.self))
        line = []
      default: line.append(byte)
      }
    }
    return line.isEmpty ? lines : lines + [String(decoding: line, as: UTF8.self)]
  }

  @Test func `the line ending does not count in the limit`() async throws {
    for pieces in [["1234\n"], ["1234\r\n"], ["1234\r"], ["12", "34\r"], ["1234\r", "\n"], ["1234"], ["12", "34\r\n"]] {
      #expect(try split(pieces, upTo: 4) == ["1234"])
      #expect(try await read(pieces, upTo: 4) == ["1234"])
    }
  }

  @Test func `a handler that stops gets no more lines`() throws {
    #expect(try split(["a\nb\nc\n"], stoppingAt: 2) == ["a", "b"])
  }

  @Test func `the results of the lines are available at the end`() throws {
    let splitter = LineSplitter(into: [Int]()) { lengths, line in
      lengths.append(line.byteCount)
      return .continue
    }
    #expect(try splitter.take(Array("a\nbc\nd".utf8).span.bytes) == .continue)
    #expect(try splitter.finish() == [1, 2, 1])
  }

  @Test func `calling a splitter within its handler throws`() {
    let own = Mutex<LineSplitter<Void>?>(nil)
    let splitter = LineSplitter { line in try own.withLock { $0 }?.take(line) ?? .continue }
    own.withLock { $0 = splitter }
    #expect(throws: BodyError(.splitterInUse)) { try splitter.take([0x61, 0x0A].span.bytes) }
    own.withLock { $0 = nil }
  }

  @Test func `a handler's error ends the splitter`() {
    struct Wrong: Error {}
    let splitter = LineSplitter { _ in throw Wrong() }
    #expect(throws: Wrong.self) { try splitter.take([0x61, 0x0A].span.bytes) }
  }
}
