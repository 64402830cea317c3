@testable import FaradayCurl
import FaradayTesting
import Testing

@Suite struct AdmissionTests {
  typealias Queue = Admission<Int>
  typealias Place = Queue.Place

  private func drain(_ queue: inout Queue) -> [Int] {
    var items: [Int] = []
    while let (item, _) = queue.next(now: 0) { items.append(item) }
    return items
  }

  @Test func `the first request to an origin runs alone until the connection is open`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let origin = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(2, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(3, to: "a", by: .origin("a"), now: 0)
    #expect(drain(&queue) == [1])
    queue.open(origin)
    #expect(drain(&queue) == [2, 3])
  }

  @Test func `the other requests start when the first one has failed`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let origin = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(2, to: "a", by: .origin("a"), now: 0)
    #expect(drain(&queue) == [1])
    queue.release(origin, now: 0)
    #expect(drain(&queue) == [2])
  }

  @Test func `neither the limit per origin nor the total limit is exceeded`() {
    var queue = Queue(perOrigin: 2, total: 3)
    let a = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    let b = queue.enqueue(11, to: "b", by: .origin("b"), now: 0)
    for item in [2, 3] { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    for item in [12, 13] { _ = queue.enqueue(item, to: "b", by: .origin("b"), now: 0) }
    queue.open(a)
    queue.open(b)
    #expect(drain(&queue) == [1, 11, 2])
    queue.release(a, now: 0)
    #expect(drain(&queue) == [12])
    queue.release(b, now: 0)
    queue.release(b, now: 0)
    #expect(drain(&queue) == [3, 13])
  }

  @Test func `origins take turns`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let a = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    let b = queue.enqueue(11, to: "b", by: .origin("b"), now: 0)
    queue.open(a)
    queue.open(b)
    for item in [2, 3] { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    for item in [12, 13] { _ = queue.enqueue(item, to: "b", by: .origin("b"), now: 0) }
    #expect(drain(&queue) == [1, 11, 2, 12, 3, 13])
  }

  @Test func `a multiplexing origin admits a multiple of its limit`() {
    var queue = Queue(perOrigin: 1, total: 10)
    let origin = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    for item in 2...5 { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    queue.open(origin)
    #expect(drain(&queue) == [1])
    queue.multiplex(origin, streams: 3)
    #expect(drain(&queue) == [2, 3])
  }

  @Test func `cancelled items do not accumulate`() {
    var queue = Queue(perOrigin: 1, total: 1, isCancelled: { (1..<100).contains($0) })
    let origin = queue.enqueue(0, to: "a", by: .origin("a"), now: 0)
    #expect(drain(&queue) == [0])
    for item in 1...100 { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    for _ in 1...99 { queue.noteCancelled(origin, now: 0) }
    queue.release(origin, now: 0)
    #expect(drain(&queue) == [100])
    queue.release(origin, now: 0)
    #expect(queue.isIdle)
  }

  @Test func `a waiting engine can tell whether an item may start`() {
    var queue = Queue(perOrigin: 1, total: 1)
    let a = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(2, to: "a", by: .origin("a"), now: 0)
    #expect(queue.hasReady)
    #expect(drain(&queue) == [1])
    #expect(!queue.hasReady)
    queue.release(a, now: 0)
    #expect(queue.hasReady)
    #expect(drain(&queue) == [2])
  }

  @Test func `the admission is idle when no item is left`() {
    var queue = Queue(perOrigin: 1, total: 1)
    #expect(queue.isIdle)
    let origin = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    #expect(!queue.isIdle)
    #expect(drain(&queue) == [1])
    queue.release(origin, now: 0)
    #expect(queue.isIdle)
  }

  /// Unwraps the result of a mutating function, which `#require` does not accept.
  private func require<Value>(_ value: Value?) throws -> Value { try #require(value) }

  private func admit(_ queue: inout Queue, _ key: String) throws -> Place {
    let origin = queue.admit(0, to: key, by: .origin(key), now: 0)
    return try #require(origin)
  }

  @Test func `an item that need not wait is admitted at once`() throws {
    var queue = Queue(perOrigin: 2, total: 3)
    let a = try admit(&queue, "a")
    #expect(queue.admit(0, to: "a", by: .origin("a"), now: 0) == nil, "the first goes alone")
    let b = try admit(&queue, "b")
    queue.open(a)
    queue.open(b)
    _ = try require(queue.admit(0, to: "a", by: .origin("a"), now: 0))
    #expect(queue.admit(0, to: "b", by: .origin("b"), now: 0) == nil, "no room in all")
    queue.release(b, now: 0)
    #expect(queue.admit(0, to: "a", by: .origin("a"), now: 0) == nil, "no room for the origin")
    _ = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    queue.release(a, now: 0)
    #expect(queue.admit(0, to: "b", by: .origin("b"), now: 0) == nil, "another has waited for longer")
    #expect(drain(&queue) == [1])
  }

  @Test func `a waiting item is never overtaken`() {
    var queue = Queue(perOrigin: 1, total: 3)
    let origin = queue.admit(0, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    if let origin { queue.release(origin, now: 0) }
    #expect(queue.admit(0, to: "a", by: .origin("a"), now: 0) == nil)
    #expect(drain(&queue) == [1])
  }

  @Test func `a short idle period keeps the origin ready, and a long one does not`() throws {
    var queue = Queue(perOrigin: 5, total: 5)
    let origin = try admit(&queue, "a")
    queue.open(origin)
    queue.release(origin, now: 0)
    let again = [
      queue.admit(0, to: "a", by: .origin("a"), now: Queue.shortIdle),
      queue.admit(0, to: "a", by: .origin("a"), now: Queue.shortIdle),
    ]
    #expect(again.compactMap { $0 }.count == 2)
    for origin in again.compactMap({ $0 }) { queue.release(origin, now: 0) }
    _ = try require(queue.admit(0, to: "a", by: .origin("a"), now: Queue.shortIdle + 1))
    #expect(queue.admit(0, to: "a", by: .origin("a"), now: Queue.shortIdle + 1) == nil)
  }

  @Test func `an unresolved name is not ready after an idle period either`() throws {
    var queue = Queue(perOrigin: 5, total: 5)
    queue.release(try admit(&queue, "a"), now: 0)
    _ = try require(queue.admit(0, to: "a", by: .origin("a"), now: 0))
    #expect(queue.admit(0, to: "a", by: .origin("a"), now: 0) == nil)
  }

  @Test func `after an idle period requests wait to share one connection if they can multiplex`() throws {
    var queue = Queue(perOrigin: 2, total: 9)
    func admit() -> Place? { queue.admit(0, to: "a", by: .connection(origin: "a", nil), now: 0) }
    let place = try require(admit())
    queue.open(place)
    queue.multiplex(place, streams: 10)
    queue.release(place, now: 0)
    let next = try require(admit())
    #expect(admit() == nil)
    queue.open(next)
    _ = try require(admit())
    #expect(admit() == nil, "the limit is that of one request a connection again")
  }

  @Test func `the largest limit does not overflow`() throws {
    var queue = Queue(perOrigin: .max, total: .max)
    let origin = try admit(&queue, "a")
    queue.open(origin)
    queue.multiplex(origin, streams: .max)
    _ = try require(queue.admit(0, to: "a", by: .origin("a"), now: 0))
  }

  @Test func `only the latest idle origin is remembered`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    for index in 0..<1000 { queue.release(try admit(&queue, "\(index)"), now: 0) }
    #expect(queue.originCount == 1)
    let many = try (0..<10).map { try admit(&queue, "\($0)") }
    for origin in many { queue.release(origin, now: 0) }
    #expect(queue.originCount == 1)
  }

  @Test func `items that wait for a name that is not found leave nothing behind`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    for index in 0..<100 {
      let origin = try admit(&queue, "\(index)")
      for item in 0..<3 { _ = queue.enqueue(item, to: "\(index)", by: .origin("\(index)"), now: 0) }
      queue.release(origin, now: 0)
      #expect(queue.takeUnprepared(origin, now: 0) == [0, 1, 2])
      #expect(queue.next(now: 0) == nil)
    }
    #expect(queue.originCount == 1)
    // The next looks for the name anew, and alone.
    _ = try require(queue.admit(0, to: "99", by: .origin("99"), now: 0))
    #expect(queue.admit(0, to: "99", by: .origin("99"), now: 0) == nil)
  }

  @Test func `all items that wait for a name that is not found are removed`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    let origin = try admit(&queue, "a")
    for item in 1...3 { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    _ = queue.enqueue(11, to: "b", by: .origin("b"), now: 0)
    queue.release(origin, now: 0)
    #expect(queue.takeUnprepared(origin, now: 0) == [1, 2, 3])
    #expect(drain(&queue) == [11])
  }

  @Test func `a resolved name stays resolved`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    let origin = try admit(&queue, "a")
    for item in 1...3 { _ = queue.enqueue(item, to: "a", by: .origin("a"), now: 0) }
    queue.open(origin)
    queue.release(origin, now: 0)
    #expect(queue.takeUnprepared(origin, now: 0) == [])
    #expect(drain(&queue) == [1, 2, 3])
  }

  @Test func `a thousand names are remembered, and forgotten names are not counted`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    for _ in 0..<2 {
      for index in 0..<1000 { queue.release(try admit(&queue, "\(index)"), now: 0) }
      #expect(!queue.shouldClearDNSCache)
      queue.release(try admit(&queue, "one more"), now: 0)
      #expect(queue.shouldClearDNSCache)
      queue.didClearDNSCache()
      #expect(!queue.shouldClearDNSCache)
    }
  }

  // MARK: gates

  private let slow = GateKey.origin("slow.test")
  private let other = GateKey.origin("other.test")

  @Test func `a closed gate holds up only its own items`() throws {
    var queue = Queue(perOrigin: 10, total: 10)
    _ = try require(queue.admit(1, to: "a", by: slow, now: 0))
    _ = queue.enqueue(2, to: "a", by: slow, now: 0)
    _ = try require(queue.admit(3, to: "a", by: other, now: 0))
    _ = try require(queue.admit(4, to: "a", now: 0))
    _ = queue.enqueue(5, to: "a", now: 0)
    #expect(drain(&queue) == [5])
  }

  @Test func `one gate holds up the items of all origins`() throws {
    var queue = Queue(perOrigin: 10, total: 10)
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    _ = queue.enqueue(2, to: "b", by: slow, now: 0)
    _ = queue.enqueue(3, to: "c", by: slow, now: 0)
    #expect(drain(&queue) == [])
    queue.open(place)
    #expect(drain(&queue) == [2, 3])
  }

  @Test func `a failed preparation fails its own waiting items only`() throws {
    var queue = Queue(perOrigin: 2, total: 10)
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    for item in 2...3 { _ = queue.enqueue(item, to: "a", by: slow, now: 0) }
    let open = try require(queue.admit(4, to: "a", by: other, now: 0))
    queue.open(open)
    for item in 5...6 { _ = queue.enqueue(item, to: "a", by: other, now: 0) }
    for item in 7...8 { _ = queue.enqueue(item, to: "b", by: slow, now: 0) }
    queue.release(place, now: 0)
    #expect(queue.takeUnprepared(place, now: 0) == [2, 3, 7, 8])
    #expect(drain(&queue) == [5])
    queue.release(open, now: 0)
    #expect(drain(&queue) == [6])
  }

  @Test func `items to an origin start in order, whatever their gates are`() throws {
    var queue = Queue(perOrigin: 1, total: 10)
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    queue.open(place)
    _ = queue.enqueue(2, to: "a", by: other, now: 0)
    _ = queue.enqueue(3, to: "a", by: slow, now: 0)
    _ = queue.enqueue(4, to: "a", now: 0)
    var next = place
    for expected in 2...4 {
      queue.release(next, now: 0)
      let found = try require(queue.next(now: 0))
      #expect(found.item == expected)
      next = found.place
    }
  }

  @Test func `an item with a kept connection passes a closed gate`() throws {
    let kept = Log<Int>()
    var queue = Queue(perOrigin: 10, total: 10, takesKeptConnection: { kept.elements.contains($0) })
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    for item in 2...4 { _ = queue.enqueue(item, to: "a", by: slow, now: 0) }
    kept.append(9)
    _ = try require(queue.admit(9, to: "a", by: slow, now: 0))
    // A connection that becomes free goes to the first that can use it.
    kept.append(3)
    queue.connectionIsFree(place)
    #expect(drain(&queue) == [3])
    queue.open(place)
    #expect(drain(&queue) == [2, 4])
  }

  @Test func `a leader that uses a kept connection is followed by another leader`() throws {
    var queue = Queue(perOrigin: 10, total: 10)
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    for item in 2...3 { _ = queue.enqueue(item, to: "a", by: slow, now: 0) }
    queue.usesKeptConnection(place)
    #expect(drain(&queue) == [2])
    // The leader's end does not end its preparation.
    queue.release(place, now: 0)
    #expect(drain(&queue) == [])
  }

  @Test(arguments: [false, true]) func `a leader that ends before its preparation is followed by another leader`(
    hasTried: Bool
  ) throws {
    var queue = Queue(perOrigin: 10, total: 10)
    let place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    for item in 2...4 { _ = queue.enqueue(item, to: "a", by: slow, now: 0) }
    queue.release(place, hasTried: hasTried, now: 0)
    // After a cancelled leader, one item tries again. After a timeout no item waits.
    #expect(drain(&queue) == (hasTried ? [2, 3, 4] : [2]))
  }

  @Test func `each leader that ends before its preparation is followed by exactly one other`() throws {
    var queue = Queue(perOrigin: 10, total: 10)
    var place = try require(queue.admit(1, to: "a", by: slow, now: 0))
    for item in 2...5 { _ = queue.enqueue(item, to: "b", by: slow, now: 0) }
    for expected in 2...4 {
      queue.release(place, hasTried: false, now: 0)
      let next = try require(queue.next(now: 0))
      #expect(next.item == expected && queue.next(now: 0) == nil)
      place = next.place
    }
    queue.open(place)
    #expect(drain(&queue) == [5])
    #expect(queue.gateCount == 1)
  }

  @Test func `a cancelled leader in the queue does not lead`() throws {
    let cancelled = Log<Int>()
    var queue = Queue(perOrigin: 1, total: 10, isCancelled: { cancelled.elements.contains($0) })
    let place = try require(queue.admit(1, to: "a", now: 0))
    for item in 2...4 { _ = queue.enqueue(item, to: "a", by: slow, now: 0) }
    cancelled.append(2)
    queue.release(place, now: 0)
    #expect(drain(&queue) == [3])
    #expect(queue.gateCount == 1)
  }

  @Test func `gates without items are forgotten, except the latest open one`() throws {
    var queue = Queue(perOrigin: 5, total: 20)
    for index in 0..<100 {
      let place = try require(queue.admit(0, to: "a", by: .origin("\(index)"), now: 0))
      if index.isMultiple(of: 2) { queue.open(place) }
      queue.release(place, now: 0)
    }
    #expect(queue.gateCount == 1)
  }

  @Test func `an origin that was forgotten while ready does not replace a later one`() {
    var queue = Queue(perOrigin: 1, total: 10)
    let leader = queue.enqueue(1, to: "a", by: .origin("a"), now: 0)
    _ = queue.enqueue(2, to: "a", by: .origin("a"), now: 0)
    let other = queue.enqueue(11, to: "b", now: 0)
    #expect(drain(&queue) == [1, 11])
    queue.release(leader, now: 0)
    #expect(queue.takeUnprepared(leader, now: 0) == [2])
    queue.release(other, now: 0)
    #expect(drain(&queue).isEmpty)
    #expect(queue.admit(3, to: "a", now: 0) != nil)
    let last = queue.admit(12, to: "c", now: 0)
    if let last { queue.release(last, now: 0) }
    #expect(queue.admit(4, to: "a", now: 0) == nil)
  }
}
