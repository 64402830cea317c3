#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Finds line ends chunk by chunk: LF, CR, and CRLF, which counts as one line end even across chunks.
///
/// Each byte is searched twice, with `memchr`.
@usableFromInline package struct LineEnds: Sendable {
  /// The offset of the next line in the piece.
  @usableFromInline package private(set) var start = 0
  // The offsets of the next LF and CR in the piece, or the piece's end. Searched again only when passed.
  private var lineFeed = -1
  private var carriageReturn = -1
  /// Whether the last piece ended with CR: a LF at the beginning of this one belongs to it.
  private var endsWithReturn = false

  @usableFromInline package init() {}

  /// Begins a piece. Precondition: not empty.
  @usableFromInline package mutating func begin(_ piece: RawSpan) {
    start = endsWithReturn && piece.byte(at: 0) == 0x0A ? 1 : 0
    (lineFeed, carriageReturn) = (-1, -1)
    endsWithReturn = false
  }

  /// The next line of the piece; nil if the piece contains no further line end. The rest then begins at ``start``.
  @usableFromInline package mutating func next(in piece: RawSpan) -> Range<Int>? {
    if lineFeed < start { lineFeed = piece.offset(of: 0x0A, from: start) }
    if carriageReturn < start { carriageReturn = piece.offset(of: 0x0D, from: start) }
    let end = min(lineFeed, carriageReturn)
    guard end < piece.byteCount else { return nil }
    defer {
      start = end + 1
      if end == carriageReturn {
        // A following LF is detected now, or when the next piece begins.
        endsWithReturn = start == piece.byteCount
        if lineFeed == start, !endsWithReturn { start += 1 }
      }
    }
    return start..<end
  }
}

extension RawSpan {
  fileprivate func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// The offset of the next byte with this value, or the end.
  package func offset(of byte: UInt8, from start: Int) -> Int {
    withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress,
        let found = memchr(base + start, Int32(byte), buffer.count - start)
      else { return buffer.count }
      return UnsafeRawPointer(found) - base
    }
  }
}

extension [UInt8] {
  @usableFromInline mutating func append(contentsOf bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}
