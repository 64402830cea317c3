internal import FaradayCore

/// The request queue: decides which waiting item may start, under a limit per origin and a total one. Origins take turns (round
/// robin).
///
/// The first item to an idle origin starts alone, because libcurl resolves names in a thread per lookup and does not share lookups
/// of the same name; the others start when the name is resolved, or the first has failed. The last active origin may be idle for up
/// to a second without starting over. libcurl's own queue is not used, because the time in it counts for the connect timeout.
struct Admission<Item> {
  final class Origin {
    fileprivate let key: String
    /// The maximum number of connections.
    fileprivate var limit: Int
    fileprivate var active = 0
    fileprivate var waiting = Fifo<Item>()
    fileprivate var cancelled = 0
    /// Whether more than one item may start: the first one's name is resolved, or it has ended.
    fileprivate var isOpen = false
    /// Whether the name was resolved.
    fileprivate var isResolved = false
    fileprivate var isInReadyQueue = false
    fileprivate var streamsPerConnection = 1
    /// When its last item ended, in nanoseconds.
    fileprivate var idleSince: Int64 = 0

    fileprivate var isIdle: Bool { active == 0 && waiting.isEmpty }

    fileprivate init(_ key: String, limit: Int) {
      self.key = key
      self.limit = limit
    }
  }

  /// The idle time after which an origin starts over with one item, in nanoseconds.
  static var shortIdle: Int64 { 1_000_000_000 }

  private let limitPerOrigin: Int
  private let limit: Int
  private var active = 0
  private var origins: [String: Origin] = [:]
  /// The origin that was active last: the only idle one that is remembered.
  private var latest: Origin?
  private var ready = Fifo<Origin>()
  /// The number of origins that were new when something was sent to them, since the DNS cache was cleared.
  private var newOrigins = 0

  init(perOrigin: Int, total: Int) {
    limitPerOrigin = max(1, perOrigin)
    limit = max(1, total)
  }

  /// Whether nothing is waiting or active.
  var isIdle: Bool { origins.values.allSatisfy(\.isIdle) }

  var originCount: Int { origins.count }

  /// Whether ``next()`` may return an item.
  var hasReady: Bool { !ready.isEmpty && active < limit }

  /// Whether so many names were resolved that libcurl's DNS cache should be cleared.
  var shouldClearDNSCache: Bool { newOrigins > 1000 }

  mutating func didClearDNSCache() { newOrigins = 0 }

  /// The origin, if an item to it may start at once without overtaking a waiting one; otherwise nil. It counts as active until
  /// ``release(_:now:)``.
  ///
  /// - Parameter limit: the limit of this origin from now on; nil is that of every origin.
  mutating func admit(to key: String, limit originLimit: Int? = nil, now: Int64) -> Origin? {
    guard ready.isEmpty, active < limit else { return nil }
    let origin = origin(key, originLimit, now)
    guard origin.waiting.isEmpty, mayStart(origin) else { return nil }
    origin.active += 1
    active += 1
    return origin
  }

  /// Adds an item to the queue.
  mutating func enqueue(_ item: Item, to key: String, limit originLimit: Int? = nil, now: Int64) -> Origin {
    let origin = origin(key, originLimit, now)
    origin.waiting.append(item)
    refresh(origin)
    return origin
  }

  /// Removes the next item that may start; nil if none may. It counts as active until ``release(_:now:)``.
  mutating func next() -> (item: Item, origin: Origin)? {
    while active < limit, let origin = ready.popFirst() {
      origin.isInReadyQueue = false
      guard mayStart(origin), let item = origin.waiting.popFirst() else { continue }
      origin.active += 1
      active += 1
      refresh(origin)
      return (item, origin)
    }
    return nil
  }

  /// Lets further items to the origin start: its name is resolved, or a connection is established.
  mutating func open(_ origin: Origin) {
    guard !origin.isOpen else { return }
    origin.isOpen = true
    origin.isResolved = true
    refresh(origin)
  }

  /// Raises the origin's limit: its connections are multiplexed (HTTP/2), with so many streams each.
  mutating func multiplex(_ origin: Origin, streams: Int) {
    origin.streamsPerConnection = max(1, streams)
    refresh(origin)
  }

  /// Notes that an active item has ended, successfully or not.
  mutating func release(_ origin: Origin, now: Int64) {
    origin.active -= 1
    active -= 1
    origin.isOpen = true
    refresh(origin)
    noteIdle(origin, now)
  }

  /// Removes all items that wait for a name that could not be resolved; empty if it was.
  mutating func takeUnresolved(_ origin: Origin, now: Int64) -> [Item] {
    guard !origin.isResolved else { return [] }
    var items: [Item] = []
    while let item = origin.waiting.popFirst() { items.append(item) }
    origin.cancelled = 0
    // The next item starts alone, with a new lookup.
    close(origin)
    noteIdle(origin, now)
    return items
  }

  /// Notes that a waiting item was cancelled. ``next()`` still returns it, unless there are so many that they are removed here.
  mutating func noteCancelled(_ origin: Origin, now: Int64, isCancelled: (Item) -> Bool) {
    origin.cancelled += 1
    guard origin.cancelled > 32, origin.cancelled * 2 > origin.waiting.count else { return }
    origin.waiting.removeAll(where: isCancelled)
    origin.cancelled = 0
    noteIdle(origin, now)
  }

  private mutating func origin(_ key: String, _ originLimit: Int?, _ now: Int64) -> Origin {
    guard let origin = origins[key] else {
      let origin = Origin(key, limit: originLimit ?? limitPerOrigin)
      origins[key] = origin
      newOrigins += 1
      return origin
    }
    origin.limit = originLimit ?? limitPerOrigin
    if origin.isIdle, now - origin.idleSince > Self.shortIdle { close(origin) }
    return origin
  }

  private func mayStart(_ origin: Origin) -> Bool {
    origin.active == 0 || (origin.isOpen && origin.active / origin.streamsPerConnection < origin.limit)
  }

  private mutating func refresh(_ origin: Origin) {
    guard !origin.isInReadyQueue, !origin.waiting.isEmpty, mayStart(origin) else { return }
    origin.isInReadyQueue = true
    ready.append(origin)
  }

  private mutating func noteIdle(_ origin: Origin, _ now: Int64) {
    guard origin.isIdle else { return }
    if let latest, latest !== origin, latest.isIdle { origins[latest.key] = nil }
    latest = origin
    origin.idleSince = now
    // Items that can share a connection wait for the first one's.
    if !origin.isResolved || origin.streamsPerConnection > 1 { close(origin) }
  }

  private func close(_ origin: Origin) {
    origin.isOpen = false
    origin.isResolved = false
    origin.streamsPerConnection = 1
  }
}
