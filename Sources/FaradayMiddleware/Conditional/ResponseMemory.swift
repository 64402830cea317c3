internal import FaradayCore
private import Synchronization

/// The responses that ``ConditionalRequests`` remembers, in memory: a bounded number of them, and a bounded number of bytes. Those
/// that were not used for longest go first.
///
///     let memory = ResponseMemory(maximumBytes: 4 << 20)
///     connection.use(.conditionalRequests(memory: memory))
///
/// It has bodies and credentials in it, and shows neither. Thread-safe.
public final class ResponseMemory: Sendable {
  /// How many responses there may be.
  public let maximumCount: Int
  /// How many bytes they may take together: bodies, header fields, URLs, and 512 for each.
  public let maximumBytes: Int

  private let state = Mutex(State())

  private struct State {
    var entries: [RememberedResponse.Key: Entry] = [:]
    var bytes = 0
    /// Counts uses, as a clock.
    var now = 0
  }

  private struct Entry {
    let response: RememberedResponse
    let size: Int
    var lastUse: Int
  }

  /// - Parameters:
  ///   - maximumCount: how many responses there may be; 256 by default. Making room takes time in proportion to it.
  ///   - maximumBytes: how many bytes they may take; 16 MiB by default. A larger response is not remembered.
  public init(maximumCount: Int = 256, maximumBytes: Int = 16 << 20) {
    self.maximumCount = max(0, maximumCount)
    self.maximumBytes = max(0, maximumBytes)
  }

  /// How many responses are remembered.
  public var count: Int { state.withLock { $0.entries.count } }

  /// Forgets all responses.
  public func removeAll() {
    // What goes may be large: not under the lock.
    _ = state.withLock { state in
      defer { (state.entries, state.bytes) = ([:], 0) }
      return state.entries
    }
  }

  /// Whether a body of that length can be remembered.
  func mayHold(_ length: Int64) -> Bool { maximumCount > 0 && length <= Int64(maximumBytes) }

  func response(for key: RememberedResponse.Key, selectedBy request: Request) -> RememberedResponse? {
    state.withLock { state in
      guard let entry = state.entries[key], entry.response.isSelected(by: request) else { return nil }
      state.now += 1
      state.entries[key]?.lastUse = state.now
      return entry.response
    }
  }

  /// Has this response under the key, or none.
  func remember(_ response: RememberedResponse?, for key: RememberedResponse.Key) {
    state.withLock { state in
      if let old = state.entries.removeValue(forKey: key) { state.bytes -= old.size }
      guard let response else { return }
      let size = response.size + key.size + 512
      guard size <= maximumBytes else { return }
      state.now += 1
      state.entries[key] = Entry(response: response, size: size, lastUse: state.now)
      state.bytes += size
      while state.entries.count > maximumCount || state.bytes > maximumBytes,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.size
      }
    }
  }
}

extension ResponseMemory: CustomStringConvertible, CustomReflectable {
  /// `3 responses`
  public var description: String { "\(count) response\(count == 1 ? "" : "s")" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
