internal import CCurl
internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The engine's monotonic clock, in nanoseconds.
enum Clock {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Duration {
  /// Whole nanoseconds, at most a century.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = withinClocks.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// An element of a ``DeadlineHeap``.
protocol HasDeadline: AnyObject {
  /// The deadline, in nanoseconds of ``Clock``.
  var deadline: Int64 { get }
  /// Its index in the heap; -1 if it is in none. Set by the heap only.
  var deadlineIndex: Int { get set }
}

/// A binary heap (priority queue) with the earliest deadline first. Moving and removing any element takes logarithmic time.
struct DeadlineHeap<Item: HasDeadline> {
  private var items: [Item] = []

  var first: Item? { items.first }

  /// Inserts the item, or moves it after its deadline has changed.
  mutating func update(_ item: Item) {
    if item.deadlineIndex < 0 {
      item.deadlineIndex = items.count
      items.append(item)
    }
    up(item.deadlineIndex)
    down(item.deadlineIndex)
  }

  mutating func remove(_ item: Item) {
    let index = item.deadlineIndex
    guard index >= 0 else { return }
    let last = items.removeLast()
    item.deadlineIndex = -1
    guard index < items.count else { return }
    items[index] = last
    last.deadlineIndex = index
    up(index)
    down(last.deadlineIndex)
  }

  private mutating func up(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard items[index].deadline < items[parent].deadline else { return }
      swap(index, parent)
      index = parent
    }
  }

  private mutating func down(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && items[child].deadline < items[least].deadline {
        least = child
      }
      guard least != index else { return }
      swap(index, least)
      index = least
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    items.swapAt(a, b)
    items[a].deadlineIndex = a
    items[b].deadlineIndex = b
  }
}

/// The timeouts of a transfer.
extension Transfer {
  /// Sets ``deadline`` to the earliest time at which the engine must check a timeout.
  func updateDeadline() {
    let timeouts = request.options.timeouts
    deadline = .max
    if let total = timeouts.total { deadline = submitted + total.nanoseconds }
    switch life {
    case .active:
      deadline = min(deadline, nextServerCheck, bufferingDeadline, resumeAt)
      if timeouts.hasPhases { deadline = min(deadline, phaseDeadline(timeouts).at) }
      if let idle = timeouts.idle {
        deadline = min(deadline, wire.nextCheck(lastActivity: lastActivity, limit: idle.nanoseconds))
      }
    case .queued:
      guard let queue = timeouts.queue?.nanoseconds else { return }
      deadline = min(deadline, submitted + queue)
    case .new, .finished: break
    }
  }

  /// The error of a timeout that has expired; nil if none has.
  func timeout(at now: Int64) -> TransportError? {
    let timeouts = request.options.timeouts
    if let total = timeouts.total, submitted + total.nanoseconds <= now {
      return error(.totalTimeout, "the exchange took longer than \(total)")
    }
    if isActive, timeouts.hasPhases, let error = phaseTimeout(timeouts, at: now) { return error }
    if isQueued, let queue = timeouts.queue, submitted + queue.nanoseconds <= now {
      return error(.queueTimeout, "the request waited longer than \(queue) for a free connection")
    }
    if isActive, let idle = timeouts.idle, wire.idleSince(lastActivity: lastActivity) + idle.nanoseconds <= now {
      return error(.idleTimeout, "no byte was sent or received for \(idle)")
    }
    return nil
  }

  /// Reads TCP's counters for activity that libcurl does not report: bytes that a slow server reads from the socket buffer, and
  /// incomplete lines. While the caller is waited for, its time does not count.
  func readTCPCounters(at now: Int64) {
    if waitsForCaller { lastActivity = now }
    let connection = hasTCPCounters ? connection : nil
    wire.checked(connection.map { faraday_moved_bytes($0.descriptor) }, at: now)
  }

  /// Whether TCP's counters are this transfer's alone: not on a multiplexed connection (HTTP/2, HTTP/3).
  private var hasTCPCounters: Bool {
    #if os(Linux)
    connection != nil && !isMultiplexed
    #else
    false
    #endif
  }

  /// The interval at which the connection is checked after an early response, in nanoseconds.
  static let serverCheckInterval: Int64 = 50_000_000

  /// Whether a transfer with a complete early response can end without the rest of its upload: the server has closed the connection
  /// or sent more bytes. A stream of HTTP/2 or HTTP/3 lacks only its end then (and trailers, if they come later than this).
  func isDoneWithoutUpload(at now: Int64) -> Bool {
    guard nextServerCheck <= now else { return false }
    nextServerCheck = now + Self.serverCheckInterval
    guard mayBeUploadingAfterResponse, let connection else { return false }
    return isMultiplexed || faraday_is_readable_or_closed(connection.descriptor) != 0
  }

  /// Whether the exchange waits for the caller (its reader or body source) and not for the network.
  var waitsForCaller: Bool { receiving == .paused || isSendPaused && !responseRejectsBody }
}

/// The activity of a connection that libcurl does not report, by the kernel's count of its bytes. The count is read at least every
/// quarter of the idle timeout, so that the timeout fires at most a quarter late. All times are nanoseconds.
struct WireActivity {
  private var bytes: Int64 = 0
  private var checked: Int64 = 0
  /// When the count was first read with its present value.
  private var changed: Int64 = 0

  /// The time from which the idle timeout counts.
  ///
  /// - Parameter lastActivity: when libcurl last sent or received bytes.
  func idleSince(lastActivity: Int64) -> Int64 { max(lastActivity, changed) }

  /// When the idle timeout expires, or the count must be read again, even if there is no connection yet.
  func nextCheck(lastActivity: Int64, limit: Int64) -> Int64 {
    let since = idleSince(lastActivity: lastActivity)
    return min(since + limit, max(since, checked) + max(1, limit / 4))
  }

  /// Notes the count; nil if there is none.
  mutating func checked(_ count: Int64?, at now: Int64) {
    checked = now
    guard let count, count != bytes else { return }
    bytes = count
    changed = now
  }
}
