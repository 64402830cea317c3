@testable import FaradayCurl
import Testing

@Suite struct AdmissionTests {
  typealias Queue = Admission<Int>

  private func drain(_ queue: inout Queue) -> [Int] {
    var items: [Int] = []
    while let item = queue.next() { items.append(item) }
    return items
  }

  @Test func `the first to an origin goes alone until the origin is open`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let origin = queue.enqueue(1, to: "a")
    _ = queue.enqueue(2, to: "a")
    _ = queue.enqueue(3, to: "a")
    #expect(drain(&queue) == [1])
    queue.open(origin)
    #expect(drain(&queue) == [2, 3])
  }

  @Test func `the others go when the first has failed`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let origin = queue.enqueue(1, to: "a")
    _ = queue.enqueue(2, to: "a")
    #expect(drain(&queue) == [1])
    queue.release(origin)
    #expect(drain(&queue) == [2])
  }

  @Test func `no origin and no total goes over its limit`() {
    var queue = Queue(perOrigin: 2, total: 3)
    let a = queue.enqueue(1, to: "a")
    let b = queue.enqueue(11, to: "b")
    for item in [2, 3] { _ = queue.enqueue(item, to: "a") }
    for item in [12, 13] { _ = queue.enqueue(item, to: "b") }
    queue.open(a)
    queue.open(b)
    #expect(drain(&queue) == [1, 11, 2])
    queue.release(a)
    #expect(drain(&queue) == [12])
    queue.release(b)
    queue.release(b)
    #expect(drain(&queue) == [3, 13])
  }

  @Test func `origins take turns`() {
    var queue = Queue(perOrigin: 10, total: 10)
    let a = queue.enqueue(1, to: "a")
    let b = queue.enqueue(11, to: "b")
    queue.open(a)
    queue.open(b)
    for item in [2, 3] { _ = queue.enqueue(item, to: "a") }
    for item in [12, 13] { _ = queue.enqueue(item, to: "b") }
    #expect(drain(&queue) == [1, 11, 2, 12, 3, 13])
  }

  @Test func `an origin that multiplexes has as many times its limit`() {
    var queue = Queue(perOrigin: 1, total: 10)
    let origin = queue.enqueue(1, to: "a")
    for item in 2...5 { _ = queue.enqueue(item, to: "a") }
    queue.open(origin)
    #expect(drain(&queue) == [1])
    queue.multiplex(origin, streams: 3)
    #expect(drain(&queue) == [2, 3])
  }

  @Test func `what nobody wants any more does not pile up`() {
    var queue = Queue(perOrigin: 1, total: 1)
    let origin = queue.enqueue(0, to: "a")
    #expect(drain(&queue) == [0])
    for item in 1...100 { _ = queue.enqueue(item, to: "a") }
    for _ in 1...99 { queue.abandon(origin) { $0 < 100 } }
    queue.release(origin)
    #expect(drain(&queue) == [100])
    queue.release(origin)
    #expect(queue.isIdle)
  }

  @Test func `whoever is to sleep can see that something may start`() {
    var queue = Queue(perOrigin: 1, total: 1)
    let a = queue.enqueue(1, to: "a")
    _ = queue.enqueue(2, to: "a")
    #expect(queue.hasReady)
    #expect(drain(&queue) == [1])
    #expect(!queue.hasReady)
    queue.release(a)
    #expect(queue.hasReady)
    #expect(drain(&queue) == [2])
  }

  @Test func `an origin is forgotten when nothing is left of it`() {
    var queue = Queue(perOrigin: 1, total: 1)
    #expect(queue.isIdle)
    let origin = queue.enqueue(1, to: "a")
    #expect(!queue.isIdle)
    #expect(drain(&queue) == [1])
    queue.release(origin)
    #expect(queue.isIdle)
  }
}
