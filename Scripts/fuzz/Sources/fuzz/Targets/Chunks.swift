@testable import FaradayCurl

extension Target {
  /// A body in chunks is the same in whatever pieces it arrives and is taken, and is what a reader of the whole makes of it.
  static let chunks = Target("chunks") { input in
    guard let first = input.bytes.first else { return }
    let bytes = Array(input.bytes.dropFirst())
    let whole = Chunked(decoding: bytes, piece: .max, taking: .max)
    // The grammar has no limits.
    let expected = whole.end == .tooLarge ? whole : Chunked(reading: bytes)
    expectEqual(whole, expected, "in one piece")
    expectEqual(Chunked(decoding: bytes, piece: 1, taking: 1), expected, "byte by byte")
    let (piece, taking) = (Int(first >> 4) + 1, Int(first & 15) + 1)
    expectEqual(Chunked(decoding: bytes, piece: piece, taking: taking), expected, "in pieces of \(piece), taken by \(taking)")
  }
}

/// What there is in a chunked body.
private struct Chunked: Equatable {
  enum End { case dry, end, malformed, tooLarge }

  var data: [UInt8] = []
  var trailers: [[UInt8]] = []
  var end = End.dry
  /// How many bytes follow it.
  var left = 0

  init(decoding bytes: [UInt8], piece: Int, taking: Int) {
    var decoder = ChunkDecoder()
    var start = 0
    while start < bytes.count, end == .dry {
      let next = start + min(piece, bytes.count - start)
      // In memory of its own, so that a sanitizer sees what is read beyond its bounds.
      Array(bytes[start..<next]).withUnsafeBytes { read($0, &decoder, taking) }
      if end == .end { left += bytes.count - next }
      start = next
    }
    expectEqual(decoder.hasEnded, end == .end, "hasEnded")
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer, _ decoder: inout ChunkDecoder, _ taking: Int) {
    var offset = 0
    // Each step but the last moves on.
    for _ in 0...(bytes.count + 1) {
      let before = offset
      switch decoder.next(in: bytes, at: &offset) {
      case .data(let count):
        expect(count > 0 && count <= bytes.count - offset, "\(count) bytes of data at \(offset) of \(bytes.count)")
        let taken = min(count, taking)
        data += bytes[offset..<(offset + taken)]
        offset += taken
        decoder.take(taken)
      case .trailer:
        trailers.append(decoder.line)
        expect(offset > before || !decoder.line.isEmpty, "a trailer out of nothing")
      case .dry:
        expectEqual(offset, bytes.count, "dry")
        return
      case .end:
        end = .end
        left = bytes.count - offset
        return
      case .malformed:
        end = .malformed
        return
      case .tooLarge:
        end = .tooLarge
        return
      }
    }
    fatalError("it does not end")
  }

  /// By the grammar of RFC 9112, section 7.1, where a line may end with LF alone, and anything but CR may stand in an extension.
  init(reading bytes: [UInt8]) {
    var rest = bytes[...]
    while let size = Self.size(&rest) {
      guard size >= 0 else {
        end = .malformed
        return
      }
      guard size > 0 else {
        readTrailers(&rest)
        return
      }
      data += rest.prefix(Int(clamping: size))
      guard Int64(rest.count) > size else { return }
      rest = rest.dropFirst(Int(size))
      guard let first = rest.popFirst() else { return }
      guard first != 0x0A else { continue }
      guard first == 0x0D, rest.first ?? 0x0A == 0x0A else {
        end = .malformed
        return
      }
      guard rest.popFirst() != nil else { return }
    }
  }

  /// Takes the line of a size. Negative if it is none, nil if it has not come whole.
  private static func size(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    var size: Int64?
    while let digit = rest.first.flatMap({ hexDigit($0) }) {
      let (sixteenfold, isTooMuch) = (size ?? 0).multipliedReportingOverflow(by: 16)
      guard !isTooMuch else { return -1 }
      size = sixteenfold + Int64(digit)
      rest.removeFirst()
    }
    guard !rest.isEmpty else { return nil }
    guard let size else { return -1 }
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    if rest.first == UInt8(ascii: ";") { rest = rest.drop { $0 != 0x0D && $0 != 0x0A } }
    if rest.first == 0x0D { rest.removeFirst() }
    guard let last = rest.popFirst() else { return nil }
    return last == 0x0A ? size : -1
  }

  private static func hexDigit(_ byte: UInt8) -> Int? { byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil }

  private mutating func readTrailers(_ rest: inout ArraySlice<UInt8>) {
    while let feed = rest.firstIndex(of: 0x0A) {
      let line = Array(rest[...feed])
      rest = rest[(feed + 1)...]
      if line == [0x0A] || line == [0x0D, 0x0A] {
        end = .end
        left = rest.count
        return
      }
      let isFolded = line[0] == 0x20 || line[0] == 0x09
      guard isFolded ? !trailers.isEmpty : line[0] != UInt8(ascii: ":") && line.contains(UInt8(ascii: ":")) else {
        end = .malformed
        return
      }
      trailers.append(line)
    }
  }
}
