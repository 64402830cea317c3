import Testing

@testable import FaradayCurl

/// Here the clock stands still, unless a test moves it.
struct TurnShareTests {
  private static let piece = 16 << 10
  private static let piecesBesideSmall = TurnShare.besideSmall / piece

  private var share = TurnShare()
  private var usages = [TurnShare.Usage](repeating: .init(), count: 2)
  private var now: Int64 = 0

  /// Receives a piece for a transfer, unless its share is used up.
  private mutating func receive(_ transfer: Int, of active: Int = 2, elapsed: Int64 = 0) -> Bool {
    guard !share.isUsedUp(by: &usages[transfer], of: active, turnBegan: 0, now: &now, clock: { elapsed }) else { return false }
    usages[transfer].receive(Self.piece)
    return true
  }

  /// The number of pieces that a transfer may receive in a turn, at most `most`.
  private mutating func pieces(_ transfer: Int, of active: Int = 2, most: Int = 1000) -> Int {
    (0..<most).prefix { _ in receive(transfer, of: active) }.count
  }

  @Test("beside a small transfer, a large one receives 256 KiB in each turn")
  mutating func besideSmall() {
    for _ in 0..<10 { #expect(pieces(0) == Self.piecesBesideSmall) }
  }

  @Test("a transfer alone uses the whole turn")
  mutating func alone() {
    #expect(pieces(0, of: 1) == 1000)
  }

  @Test("large transfers beside each other use the whole turn")
  mutating func amongLarge() {
    #expect(pieces(0) == Self.piecesBesideSmall)
    // The second one is small until it has received as much.
    #expect(pieces(1) == 1000)
    #expect(pieces(0) == 1000)
  }

  @Test("after a large transfer has ended, the others are told from small ones as before")
  mutating func afterTheEnd() {
    _ = pieces(0)
    _ = pieces(1, most: Self.piecesBesideSmall + 1)
    share.end(usages[1])
    usages[1] = .init()
    #expect(pieces(0) == Self.piecesBesideSmall)
    // A small one ends without a trace.
    share.end(usages[1])
    #expect(pieces(0, of: 1) == 1000)
  }

  @Test("no transfer continues after the end of the turn")
  mutating func endOfTurn() {
    let elapsed = TurnShare.turnLength + 1
    var count = 0
    while count < 1000, receive(0, of: 1, elapsed: elapsed) { count += 1 }
    // The clock is not read for each piece.
    #expect(count == Self.piecesBesideSmall)
    #expect(now == elapsed)
    #expect(!receive(0, of: 1, elapsed: elapsed))
  }
}
