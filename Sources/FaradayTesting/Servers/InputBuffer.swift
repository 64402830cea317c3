#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Received bytes of a connection that were not read yet. Used by one thread at a time.
final class InputBuffer {
  /// The maximum length of a head, up to its blank line.
  static let headLimit = 256 << 10
  private static let maximumPiece = 256 << 10

  private let wire: any Wire
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 10, alignment: 16)
  private var start = 0
  private var end = 0
  private var wasFilled = false

  init(_ wire: any Wire) { self.wire = wire }

  deinit { storage.deallocate() }

  /// Valid until the next call of `fill`.
  var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

  var isEmpty: Bool { start == end }

  /// Blocks for more bytes and appends them to the unread ones. Returns false at the end of the input.
  func fill(atMost limit: Int = .max) throws -> Bool {
    makeRoom()
    let room = UnsafeMutableRawBufferPointer(rebasing: storage[end...].prefix(max(1, limit)))
    let count = try wire.receive(into: room)
    end += count
    wasFilled = end == storage.count
    return count > 0
  }

  func consume(_ count: Int) {
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// Reads up to and including the next blank line; nil if the input ends instead. `use` gets bytes that are valid only
  /// while it runs.
  func readHead<Result>(_ use: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    var scanned = 0
    while true {
      if let count = blankLineEnd(in: unread, from: scanned) {
        defer { consume(count) }
        return try use(UnsafeRawBufferPointer(rebasing: unread[..<count]))
      }
      scanned = max(0, unread.count - 2)
      if unread.count >= Self.headLimit { throw BadRequest(431, "the head is longer than \(Self.headLimit) bytes") }
      if try !fill() {
        if isEmpty { return nil }
        throw SocketError.endOfInput
      }
    }
  }

  /// Reads a line; without its CRLF.
  func readLine() throws -> String {
    var scanned = 0
    while true {
      if let end = unread[scanned...].firstIndex(of: 0x0A) {
        defer { consume(end + 1) }
        guard end > 0, unread[end - 1] == 0x0D else { throw BadRequest(400, "a line ends without CR LF") }
        return String(decoding: unread[..<(end - 1)], as: UTF8.self)
      }
      scanned = unread.count
      if scanned >= 64 << 10 { throw BadRequest(400, "a line is too long") }
      if try !fill() { throw SocketError.endOfInput }
    }
  }

  /// Ends the sending side, and drops what the client still sends, for at most two seconds: a connection that is closed with
  /// unread input is reset, and the client may lose the reply.
  ///
  /// - Parameter isClean: whether the last request was read to its end.
  func linger(on socket: SocketConnection, isClean: Bool = false) throws {
    socket.halfClose()
    if isClean && isEmpty { return }
    let end = Nanoseconds.monotonic + 2_000_000_000
    while true {
      consume(unread.count)
      let left = end - Nanoseconds.monotonic
      guard left > 0 else { return }
      try socket.pause(nanoseconds: left, orInput: true)
      if Nanoseconds.monotonic >= end { return }
      guard try fill() else { return }
    }
  }

  private func makeRoom() {
    if isEmpty && wasFilled && storage.count < Self.maximumPiece || end - start == storage.count {
      // The peer sends faster than this reads, or a head is longer than the storage.
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
      larger.copyMemory(from: unread)
      storage.deallocate()
      storage = larger
    } else if end == storage.count {
      storage.copyMemory(from: unread)
    } else {
      return
    }
    (start, end) = (0, end - start)
    wasFilled = false
  }
}

private func blankLineEnd(in bytes: UnsafeRawBufferPointer, from first: Int) -> Int? {
  guard let base = bytes.baseAddress else { return nil }
  var index = first
  while index < bytes.count, let found = memchr(base + index, 0x0A, bytes.count - index) {
    let next = UnsafeRawPointer(found) - base + 1
    if next < bytes.count, bytes[next] == 0x0A { return next + 1 }
    if next + 1 < bytes.count, bytes[next] == 0x0D, bytes[next + 1] == 0x0A { return next + 2 }
    index = next
  }
  return nil
}
