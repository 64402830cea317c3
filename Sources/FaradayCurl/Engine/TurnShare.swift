/// How much of the engine's turn a transfer may use, so that commands and other transfers get their share (fairness).
///
/// Beside a small transfer, a large one may receive a number of bytes in each turn, for a low latency of the small one.
/// Otherwise it may use the rest of the turn: with a smaller share, more bytes wait in the sockets of all transfers than the
/// processor's cache can hold.
struct TurnShare {
  /// The maximum length of a turn, in nanoseconds: the latency that other transfers may add to a small request.
  static let turnLength: Int64 = 1_000_000
  /// The maximum number of bytes that a transfer may receive in a turn beside a small transfer. A transfer is small until it
  /// has received so many.
  static let besideSmall = 256 << 10

  /// What is known of a transfer.
  struct Usage {
    /// The bytes that were received since the share was last checked.
    fileprivate var bytes = 0
    /// Whether the transfer is counted as large.
    fileprivate var isLarge = false

    mutating func receive(_ count: Int) { bytes &+= count }
  }

  /// The number of active transfers that are not small.
  private var largeCount = 0

  /// Whether a transfer has used up its share, and must continue in the next turn.
  ///
  /// - Parameters:
  ///   - active: the number of active transfers, small and large.
  ///   - now: the time of the last reading of the clock. Read again when the transfer has received ``besideSmall`` bytes.
  mutating func isUsedUp(
    by usage: inout Usage, of active: Int, turnBegan: Int64, now: inout Int64, clock: () -> Int64 = { Clock.now }
  ) -> Bool {
    if usage.bytes >= Self.besideSmall {
      usage.bytes = 0
      now = clock()
      if !usage.isLarge { largeCount += 1 }
      usage.isLarge = true
      if active > largeCount { return true }
    }
    return now - turnBegan > Self.turnLength
  }

  /// Notes that a transfer has ended.
  mutating func end(_ usage: Usage) {
    if usage.isLarge { largeCount -= 1 }
  }
}
