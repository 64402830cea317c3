/// How adapters are drained: see `CurlAdapter.drain(until:)`.
package enum Draining {
  /// Waits until nothing is under way, or until the deadline or the cancellation of the task, and then cuts what is left.
  ///
  /// - Parameters:
  ///   - idle: returns when nothing is under way.
  ///   - cut: ends all that is under way, and returns the number of exchanges that it has ended.
  package static func drain(
    until deadline: ContinuousClock.Instant, idle: @escaping @Sendable () async -> Void,
    cut: @escaping @Sendable () async -> Int
  ) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      group.addTask {
        await idle()
        return 0
      }
      group.addTask {
        try? await Task.sleep(until: deadline, clock: .continuous)
        // If nothing is under way, there is nothing to cut.
        return await cut()
      }
      let first = await group.next() ?? 0
      group.cancelAll()
      return await group.reduce(first, +)
    }
  }

  /// What is said to a request that comes too late.
  package static let refusal = "the adapter is being shut down and takes no more requests"
  /// What is said to an exchange that is ended at the deadline.
  package static let cutting = "the adapter was shut down, and the exchange had not ended by the deadline"
}
