import FoundationEssentials
import Synchronization

/// The time of day, as a test sets it.
final class Now: Sendable {
  private let seconds = Mutex(1_767_225_600.0)
  func advance(by count: Double) { seconds.withLock { $0 += count } }
  var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
}
