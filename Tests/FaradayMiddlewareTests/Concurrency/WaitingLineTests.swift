import Faraday
import FaradayTesting
import Testing

@testable import FaradayMiddleware

@Suite struct WaitingLineTests {
  @Test(arguments: 0..<8)
  func `the highest priority is served first, and of equal ones the lowest number`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var line = WaitingLine<Int>()
    var model: [WaitingPosition] = []
    for number in 0..<400 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0...2:
        // Some come back with the number of an earlier arrival.
        let priority = RequestPriority(rawValue: .random(in: -1...1, using: &random))
        let position = WaitingPosition(priority: priority, number: Bool.random(using: &random) ? number : -number)
        line.add(position.number, at: position)
        model.append(position)
        model.sort()
      case 3:
        #expect(line.popFirst() == model.first?.number)
        model = Array(model.dropFirst())
      default:
        let index = model.indices.randomElement(using: &random)
        let unknown = WaitingPosition(priority: .normal, number: 1000)
        #expect(line.remove(index.map { model[$0] } ?? unknown) == index.map { model.remove(at: $0).number })
        #expect(line.remove(unknown) == nil)
      }
      #expect(line.first == model.first && line.count == model.count && line.isEmpty == model.isEmpty)
    }
    for position in model { #expect(line.popFirst() == position.number) }
    #expect(line.popFirst() == nil)
  }
}
