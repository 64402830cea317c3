internal import CCurl
internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The engine's clock: monotonic, in nanoseconds.
enum Clock {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Duration {
  /// Whole nanoseconds, at most a century: a timeout longer than that is none.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = withinClocks.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// Something that can stand in a ``DeadlineHeap``.
protocol HasDeadline: AnyObject {
  /// When it is due, in nanoseconds of the engine's clock.
  var deadline: Int64 { get }
  /// Where it stands in the heap; -1 if it does not. Only the heap sets it.
  var deadlineIndex: Int { get set }
}

/// The next deadline first; any of them can be moved or removed in logarithmic time.
struct DeadlineHeap<Item: HasDeadline> {
  private var items: [Item] = []

  var first: Item? { items.first }

  /// Inserts the item, or moves it to where its deadline now belongs.
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

/// When a transfer has taken too long.
extension Transfer {
  /// Sets when it is to be looked at next.
  func updateDeadline() {
    let timeouts = request.options.timeouts
    deadline = .max
    if let total = timeouts.total { deadline = submitted + total.nanoseconds }
    switch life {
    case .active:
      deadline = min(deadline, nextLook, smallUntil)
      guard let idle = timeouts.idle?.nanoseconds else { return }
      // A quarter of the limit without a sign of life is reason to look at TCP, and the limit from then on to give up.
      let isToLook = tellsMovement && looked < lastActivity
      deadline = min(deadline, isToLook ? lastActivity + idle / 4 : silentSince + idle)
    case .queued:
      guard let queue = timeouts.queue?.nanoseconds else { return }
      deadline = min(deadline, submitted + queue)
    case .new, .finished: break
    }
  }

  /// The error of what is over time; nil if nothing is.
  func timeout(at now: Int64) -> TransportError? {
    let timeouts = request.options.timeouts
    if let total = timeouts.total, submitted + total.nanoseconds <= now {
      return error(.totalTimeout, "the exchange took longer than \(total)")
    }
    if isQueued, let queue = timeouts.queue, submitted + queue.nanoseconds <= now {
      return error(.queueTimeout, "the request waited longer than \(queue) for its turn")
    }
    if isActive, let idle = timeouts.idle, silentSince + idle.nanoseconds <= now {
      return error(.idleTimeout, "no byte moved for \(idle)")
    }
    return nil
  }

  /// Looks for bytes that move and that libcurl does not tell of: what a slow server takes from the kernel's buffer, and lines
  /// that are not complete.
  func lookForMovement(at now: Int64) {
    if waitsForCaller { lastActivity = now }
    guard tellsMovement, let connection else { return }
    let moved = faraday_moved_bytes(connection.descriptor)
    guard moved != movedBytes || looked < lastActivity else { return }
    movedBytes = moved
    looked = now
  }

  /// Whether TCP tells what moves for this transfer: of a connection that others use as well it does not.
  private var tellsMovement: Bool {
    #if os(Linux)
    connection != nil && !isHTTP2
    #else
    false
    #endif
  }

  private var silentSince: Int64 { max(lastActivity, looked) }

  /// How often a server that has answered is looked for, in nanoseconds, while the rest of the upload is waited for.
  static let answeredLook: Int64 = 50_000_000

  /// The server has answered, and nobody waits for the rest of the upload: it is gone, or has more to say. Of an HTTP/2 stream
  /// only the end is missing then, and trailers that come later than this.
  func isOver(at now: Int64) -> Bool {
    guard nextLook <= now else { return false }
    nextLook = now + Self.answeredLook
    guard isAnswered, let connection else { return false }
    return isHTTP2 || faraday_has_news(connection.descriptor) != 0
  }

  /// Whether the caller's side, and not the network, is what the exchange waits for.
  var waitsForCaller: Bool { receiving == .paused || isSendPaused && !isTurnedDown }
}
