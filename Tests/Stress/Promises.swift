import Faraday
import Synchronization

/// So many promises, each settled, cancelled, waited for, chained and listened to at the same time: whoever asks hears of
/// exactly one outcome.
struct Promises {
  let count: Int

  private final class Counts: Sendable {
    let heard = Atomic(0)
    let values = Atomic(0)
  }

  func run() async throws {
    let counts = Counts()
    for _ in 0..<count {
      let (promise, resolver) = Promise<Int>.pending()
      let (inner, innerResolver) = Promise<Int>.pending()
      let chain = promise.map { $0 + 1 }.flatMap { _ in inner }.ensure {}.timeout(.seconds(60))
      let all = Promise.all([promise, chain, promise.then { $0 }])
      await withTaskGroup(of: Void.self) { group in
        group.addTask { resolver.fulfill(1) }
        group.addTask { innerResolver.fulfill(2) }
        if Bool.random() { group.addTask { chain.cancel() } }
        if Bool.random() { group.addTask { promise.cancel() } }
        group.addTask { for promise in [promise, chain] { promise.onComplete { _ in counts.heard.add(1, ordering: .relaxed) } } }
        group.addTask { if (try? await all.value) != nil { counts.values.add(1, ordering: .relaxed) } }
        group.addTask { _ = try? await chain.value }
        let waiting = Task { try await promise.value }
        group.addTask { waiting.cancel() }
      }
      _ = try? await promise.value
      _ = try? await chain.value
    }
    let callbacks = counts.heard.load(ordering: .relaxed)
    print("promises: \(count) chains, \(callbacks) callbacks, \(counts.values.load(ordering: .relaxed)) with all their values")
    try check(callbacks == 2 * count, "\(2 * count) callbacks were added")
  }
}
