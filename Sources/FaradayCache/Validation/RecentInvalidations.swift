private import Synchronization

/// The recently invalidated URLs. A response whose request was sent before an invalidation of its URL must not be stored after
/// it.
final class RecentInvalidations: Sendable {
  private static let limit = 64

  private struct State {
    var count = 0
    /// The latest URLs, oldest first.
    var urls: [String] = []
  }

  private let state = Mutex(State())

  /// The current moment, as a number of invalidations.
  var count: Int { state.withLock { $0.count } }

  func insert(_ url: String) {
    state.withLock { state in
      state.count &+= 1
      state.urls.append(url)
      if state.urls.count > Self.limit { state.urls.removeFirst() }
    }
  }

  /// Whether the URL was invalidated since that moment, or may have been: only the latest URLs are known.
  func contains(_ url: String, since moment: Int) -> Bool {
    state.withLock { state in
      let new = state.count &- moment
      return new > state.urls.count || state.urls.suffix(max(0, new)).contains(url)
    }
  }
}
