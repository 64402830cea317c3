import Allocations
import Foundation

/// What is counted, and how much of it there may be.
struct Count {
  let name: String
  let limit: Double
  let measure: () async throws -> Double

  init(_ name: String, limit: Double, _ measure: @escaping () async throws -> Double) {
    (self.name, self.limit, self.measure) = (name, limit, measure)
  }

  /// Prints all counts, and ends the process with 1 if one is over its limit.
  static func report(_ counts: [Count]) async throws {
    guard allocations() >= 0 else {
      print("counts: allocations are counted with glibc only")
      return
    }
    var isExceeded = false
    print("allocations" + String(repeating: " ", count: 58) + "    limit")
    for count in counts {
      // What a thread does by the way only adds to it.
      var least = Double.infinity
      for _ in 0..<5 { least = min(least, try await count.measure()) }
      let isOver = least > count.limit
      isExceeded = isExceeded || isOver
      let figures = String(format: "%9.2f %8.1f", least, count.limit)
      print(count.name.padding(toLength: 60, withPad: " ", startingAt: 0) + figures + (isOver ? "  too many" : ""))
    }
    if isExceeded { exit(1) }
  }
}

/// How much is allocated each time.
func repeating(_ times: Int, _ work: () async throws -> Void) async throws -> Double {
  // Connections, caches and pools are filled the first time.
  try await work()
  let before = allocations()
  for _ in 0..<times { try await work() }
  return Double(allocations() - before) / Double(times)
}
