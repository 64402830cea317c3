#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A buffered body while it arrives. A large one is kept in parts and put together by the task that waits for it: to make room for
/// more in one piece would copy all that there is, on the thread that all others wait for.
struct GatheredBody: Sendable {
  /// How much memory a server can have reserved by announcing a length.
  private static let trustedLength: Int64 = 16 << 20
  private static let partSize = 1 << 20

  private var parts: [Data] = []
  private var last = Data()
  private var room = 0

  /// - Parameters:
  ///   - length: of the body, if its head says so.
  ///   - limit: what a body may have at most.
  mutating func append(_ bytes: UnsafeRawBufferPointer, length: Int64?, limit: Int) {
    if room == 0, let length {
      room = Int(min(length, Int64(limit), Self.trustedLength))
      last.reserveCapacity(room)
    }
    if last.count + bytes.count > max(room, Self.partSize) {
      parts.append(last)
      last = Data(capacity: Self.partSize)
      room = Self.partSize
    }
    last.append(contentsOf: bytes)
  }

  mutating func removeAll() { self = GatheredBody() }

  /// All of it, in one piece.
  func joined() -> Data {
    guard !parts.isEmpty else { return last }
    var whole = Data(capacity: parts.reduce(last.count) { $0 + $1.count })
    for part in parts { whole.append(part) }
    whole.append(last)
    return whole
  }
}
