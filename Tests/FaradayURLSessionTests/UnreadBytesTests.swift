import Foundation
import Testing

@testable import FaradayURLSession

@Suite struct UnreadBytesTests {
  private func piece(_ number: Int, count: Int = 1 << 20) -> Data { Data(repeating: UInt8(number & 0xFF), count: count) }

  /// Reads all bytes, and checks that they are the numbered mebibytes from the first one.
  private func takeAll(_ unread: UnreadBytes, from first: Int) throws -> Int {
    var count = 0
    while let piece = try unread.take() {
      for byte in piece.indices where (count + byte - piece.startIndex) % 4099 == 0 {
        #expect(piece[byte] == UInt8((first + (count + byte - piece.startIndex) >> 20) & 0xFF))
      }
      count += piece.count
    }
    return count
  }

  @Test func `bytes beyond a threshold are kept in files and read in order`() throws {
    let unread = UnreadBytes(limit: .max)
    for number in 0..<200 { try unread.append(piece(number)) }
    #expect(unread.countInMemory == UnreadBytes.inMemory && !unread.isEmpty)
    #expect(try takeAll(unread, from: 0) == 200 << 20)
    #expect(unread.isEmpty && unread.countInMemory == 0)
    // Memory is used again.
    for number in 0..<3 { try unread.append(piece(number)) }
    #expect(unread.countInMemory == 3 << 20)
    #expect(try takeAll(unread, from: 0) == 3 << 20)
  }

  @Test func `bytes added while files are read follow them`() throws {
    let unread = UnreadBytes(limit: .max)
    var (added, taken) = (0, 0)
    for _ in 0..<30 {
      try unread.append(piece(added))
      added += 1
    }
    while added < 300 {
      // As many bytes are taken as added: it never becomes empty, and bytes in memory are taken first.
      try unread.append(piece(added))
      added += 1
      var count = 0
      while count < 1 << 20, let piece = try unread.take() {
        #expect(piece.first == UInt8((taken + count) >> 20 & 0xFF))
        count += piece.count
      }
      taken += count
      #expect(unread.countInMemory <= UnreadBytes.inMemory)
    }
    #expect(try takeAll(unread, from: taken >> 20) == 30 << 20)
  }

  @Test func `bytes over the limit are refused, and earlier ones stay`() throws {
    let unread = UnreadBytes(limit: 20 << 20)
    for number in 0..<20 { try unread.append(piece(number)) }
    #expect(throws: UnreadBytes.Full.self) { try unread.append(piece(20, count: 1)) }
    #expect(try takeAll(unread, from: 0) == 20 << 20)
    try unread.append(piece(0))
  }

  @Test func `an error of writing a file is reported, and bytes in memory stay`() throws {
    let unread = UnreadBytes(limit: .max, folder: URL(fileURLWithPath: "/nonexistent"))
    for number in 0..<16 { try unread.append(piece(number)) }
    let error = #expect(throws: UnreadFile.Failure.self) { try unread.append(piece(16)) }
    #expect(error.map { "\($0)" } == "the temporary file for unread bytes failed: No such file or directory")
    #expect(try takeAll(unread, from: 0) == 16 << 20)
    #expect(unread.isEmpty)
  }

  @Test func `after a discard nothing is left and nothing is added`() throws {
    let unread = UnreadBytes(limit: .max)
    for number in 0..<40 { try unread.append(piece(number)) }
    unread.discard()
    try unread.append(piece(0))
    #expect(unread.isEmpty && unread.countInMemory == 0)
    #expect(try unread.take() == nil)
  }
}
