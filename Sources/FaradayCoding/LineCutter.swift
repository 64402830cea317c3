internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Cuts pieces into lines, and keeps the beginning of the one whose end has not come.
struct LineCutter {
  let limit: Int
  private var rest: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  mutating func take(_ bytes: RawSpan, _ pass: (RawSpan) throws -> Flow) throws -> Flow {
    var start = 0
    while let end = bytes.lineFeed(from: start) {
      let line = bytes.extracting(start..<end)
      start = end + 1
      let flow: Flow
      if rest.isEmpty {
        flow = try cut(line, pass)
      } else {
        var begun = rest
        rest = []
        begun.append(contentsOf: line)
        flow = try cut(begun.span.bytes, pass)
      }
      guard flow == .continue else { return flow }
    }
    rest.append(contentsOf: bytes.extracting(start..<bytes.byteCount))
    guard rest.span.bytes.countWithoutReturn <= limit else { throw LineTooLong(limit: limit) }
    return .continue
  }

  mutating func finish(_ pass: (RawSpan) throws -> Flow) throws {
    let last = rest
    rest = []
    guard last.count <= limit else { throw LineTooLong(limit: limit) }
    if !last.isEmpty { _ = try pass(last.span.bytes) }
  }

  private func cut(_ line: RawSpan, _ pass: (RawSpan) throws -> Flow) throws -> Flow {
    let line = line.extracting(first: line.countWithoutReturn)
    guard line.byteCount <= limit else { throw LineTooLong(limit: limit) }
    return try pass(line)
  }
}

extension RawSpan {
  /// How many bytes are left without the CR that belongs to a line's end.
  fileprivate var countWithoutReturn: Int {
    guard byteCount > 0, unsafeLoad(fromByteOffset: byteCount - 1, as: UInt8.self) == 0x0D else { return byteCount }
    return byteCount - 1
  }

  /// The offset of the next line feed.
  fileprivate func lineFeed(from start: Int) -> Int? {
    withUnsafeBytes { buffer in
      guard start < buffer.count, let base = buffer.baseAddress, let found = memchr(base + start, 0x0A, buffer.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(contentsOf bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}
