#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension RawSpan {
  /// How many bytes are left without the CR that belongs to a line's end.
  @usableFromInline var countWithoutReturn: Int {
    guard byteCount > 0, unsafeLoad(fromByteOffset: byteCount - 1, as: UInt8.self) == 0x0D else { return byteCount }
    return byteCount - 1
  }

  /// The offset of the next line feed.
  @usableFromInline func lineFeed(from start: Int) -> Int? {
    withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress, let found = memchr(base + start, 0x0A, buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}

extension [UInt8] {
  @usableFromInline mutating func append(contentsOf bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}
