import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A stream of this many bytes, in chunks that share one buffer.
struct DemoPieces: AsyncSequence, Sendable {
  let bytes: Int64

  private static let piece = Data(repeating: 0x66, count: 256 << 10)

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: bytes) }

  struct AsyncIterator: AsyncIteratorProtocol {
    var left: Int64

    mutating func next() async -> Data? {
      guard left > 0 else { return nil }
      let count = Int(Swift.min(left, Int64(DemoPieces.piece.count)))
      left -= Int64(count)
      return count == DemoPieces.piece.count ? DemoPieces.piece : DemoPieces.piece.prefix(count)
    }
  }
}

/// A chunk of `/drip`, which contains the time when it was sent.
struct DripChunk: Equatable {
  let index: Int
  /// Nanoseconds between sending and receiving.
  let delay: Int64

  /// Parses `<index> <Unix time in nanoseconds>` and the line end.
  init?(_ text: String, at now: Int64) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.count >= 2, let index = Int(words[0]), let sent = Int64(words[1]) else { return nil }
    self.index = index
    delay = now - sent
  }

  func text(after passed: Duration) -> String {
    let time = Figures.fixed(passed.inSeconds, places: 3)
    return "chunk \(index) at \(time) s, \(Figures.fixed(Double(delay) / 1e6, places: 3)) ms after it was sent"
  }
}

/// The system clock, which server and client share.
enum WallClock {
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension JSONValue {
  /// Whether a string anywhere in it contains this one.
  func contains(_ text: String) -> Bool {
    switch self {
    case .string(let own): own.contains(text)
    case .array(let values): values.contains { $0.contains(text) }
    case .object(let members): members.contains { $0.value.contains(text) }
    case .null, .bool, .number: false
    }
  }
}
