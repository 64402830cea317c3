internal import FaradayCore
internal import FaradayPromises
private import Synchronization

/// The resources in flight, by tag. Thread-safe.
final class TaggedLoads: Sendable {
  private struct State {
    var lastID = 0
    var loads: [Int: (tags: Set<String>, response: Promise<Response>)] = [:]
  }

  private let state = Mutex(State())

  /// Runs the work. Cancelling its caller or any of its tags cancels it.
  func run(_ tags: Set<String>, _ work: @escaping @Sendable @concurrent () async throws -> Response) async throws -> Response {
    try Task.checkCancellation()
    // Started under the lock, so that `cancel` finds every load that has started.
    let (id, response) = state.withLock { state in
      let response = Promise(work)
      state.lastID += 1
      state.loads[state.lastID] = (tags, response)
      return (state.lastID, response)
    }
    defer { state.withLock { _ = $0.loads.removeValue(forKey: id) } }
    return try await response.value
  }

  func cancel(_ tag: String) {
    let responses = state.withLock { state in state.loads.values.filter { $0.tags.contains(tag) }.map(\.response) }
    for response in responses { response.cancel() }
  }
}
