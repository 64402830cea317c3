@testable import FaradayCurl
import FaradayTesting
import Testing

@Suite struct RandomAdmissionTests {
  @Test(arguments: 0..<40) func `random sequences of events leave no item waiting`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    final class Marks {
      var cancelled: Set<Int> = []
      var random = SeededGenerator(seed: 99)
    }
    let marks = Marks()
    var queue = Admission<Int>(
      perOrigin: Int.random(in: 1...4, using: &random), total: Int.random(in: 1...8, using: &random),
      isCancelled: { marks.cancelled.contains($0) },
      takesKeptConnection: { _ in Int.random(in: 0..<5, using: &marks.random) == 0 })
    var waiting: [(item: Int, place: Admission<Int>.Place)] = []
    var active: [Admission<Int>.Place] = []
    var last = 0
    var now: Int64 = 0
    func startAll() {
      while let (item, place) = queue.next(now: now) {
        #expect(!marks.cancelled.contains(item))
        let before = waiting.count
        waiting.removeAll { $0.item == item }
        #expect(waiting.count == before - 1)
        active.append(place)
      }
      #expect(!active.isEmpty || waiting.isEmpty, "seed \(seed): \(waiting.count) items are forgotten")
    }
    for _ in 0..<4000 {
      now += Int64.random(in: 0...400_000_000, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        last += 1
        let origin = "o\(Int.random(in: 0..<3, using: &random))"
        let key: GateKey? =
          switch Int.random(in: 0..<4, using: &random) {
          case 0: nil
          case 1: .origin("shared\(Int.random(in: 0..<2, using: &random))")
          case 2: .connection(origin: origin, nil)
          default: .origin(origin)
          }
        if let place = queue.admit(last, to: origin, by: key, now: now) {
          active.append(place)
        } else {
          waiting.append((last, queue.enqueue(last, to: origin, by: key, now: now)))
        }
      case 4:
        if let index = waiting.indices.randomElement(using: &random) {
          let (item, place) = waiting.remove(at: index)
          marks.cancelled.insert(item)
          queue.noteCancelled(place, now: now)
        }
      case 5: if let place = active.randomElement(using: &random) { queue.open(place) }
      case 6: if let place = active.randomElement(using: &random) { queue.usesKeptConnection(place) }
      case 7: if let place = active.randomElement(using: &random) { queue.multiplex(place, streams: 3) }
      default:
        guard let index = active.indices.randomElement(using: &random) else { break }
        let place = active.remove(at: index)
        queue.release(place, hasTried: Bool.random(using: &random), now: now)
        if Bool.random(using: &random) { queue.connectionIsFree(place) }
        if Int.random(in: 0..<8, using: &random) == 0 {
          for item in queue.takeUnprepared(place, now: now) { waiting.removeAll { $0.item == item } }
        }
      }
      startAll()
    }
    while let place = active.popLast() {
      queue.release(place, hasTried: Bool.random(using: &random), now: now)
      startAll()
    }
    #expect(waiting.isEmpty && queue.isIdle)
  }
}
