internal import FaradayCore

/// Which waiting item may start now, under a limit per origin and one in total.
///
/// The first item to an origin where nothing goes on starts alone: each name lookup is a thread of libcurl's, and it does not
/// join lookups of one name. The others start when that one's name is resolved, or it has failed. A rest of less than a second
/// changes nothing of that for the origin where something went on last. Origins take turns. libcurl's own queue is not used,
/// because time spent there counts against the connect timeout.
struct Admission<Item> {
  final class Origin {
    fileprivate let key: String
    fileprivate var active = 0
    fileprivate var waiting = Fifo<Item>()
    fileprivate var abandoned = 0
    /// More than one may start.
    fileprivate var isOpen = false
    /// Its name was, and not only given up.
    fileprivate var isResolved = false
    fileprivate var isReady = false
    fileprivate var factor = 1
    /// When its last item ended.
    fileprivate var rested: Int64 = 0

    fileprivate var isResting: Bool { active == 0 && waiting.isEmpty }

    fileprivate init(_ key: String) { self.key = key }
  }

  /// In nanoseconds: a rest of more than this is one.
  static var shortRest: Int64 { 1_000_000_000 }

  private let limitPerOrigin: Int
  private let limit: Int
  private var active = 0
  private var origins: [String: Origin] = [:]
  /// The only one that is kept while nothing goes on there.
  private var latest: Origin?
  private var ready = Fifo<Origin>()
  /// Origins that were not known when something was sent there.
  private var names = 0

  init(perOrigin: Int, total: Int) {
    limitPerOrigin = max(1, perOrigin)
    limit = max(1, total)
  }

  /// Nothing waits and nothing is active.
  var isIdle: Bool { origins.values.allSatisfy(\.isResting) }

  var originCount: Int { origins.count }

  /// Whether ``next()`` may have something.
  var hasReady: Bool { !ready.isEmpty && active < limit }

  /// Whether so many names have been looked up that libcurl is to forget them.
  var hasManyNames: Bool { names > 1000 }

  mutating func forgetNames() { names = 0 }

  /// The origin, if an item to it may start at once, ahead of nobody who waits. It counts as active until ``release(_:)``.
  mutating func admit(to key: String, now: Int64) -> Origin? {
    guard ready.isEmpty, active < limit else { return nil }
    let origin = origin(key, now)
    guard origin.waiting.isEmpty, mayStart(origin) else { return nil }
    origin.active += 1
    active += 1
    return origin
  }

  /// Lets an item wait.
  mutating func enqueue(_ item: Item, to key: String, now: Int64) -> Origin {
    let origin = origin(key, now)
    origin.waiting.append(item)
    refresh(origin)
    return origin
  }

  /// The next item that may start, and to where. It counts as active until ``release(_:)``.
  mutating func next() -> (item: Item, origin: Origin)? {
    while active < limit, let origin = ready.popFirst() {
      origin.isReady = false
      guard mayStart(origin), let item = origin.waiting.popFirst() else { continue }
      origin.active += 1
      active += 1
      refresh(origin)
      return (item, origin)
    }
    return nil
  }

  /// The name is resolved, or a connection is there: others may start.
  mutating func open(_ origin: Origin) {
    guard !origin.isOpen else { return }
    origin.isOpen = true
    origin.isResolved = true
    refresh(origin)
  }

  /// Its connections carry many requests at a time, so its limit is as many times higher.
  mutating func multiplex(_ origin: Origin, streams: Int) {
    origin.factor = max(1, streams)
    refresh(origin)
  }

  /// An active item has ended, well or not.
  mutating func release(_ origin: Origin, now: Int64) {
    origin.active -= 1
    active -= 1
    origin.isOpen = true
    refresh(origin)
    rest(origin, now)
  }

  /// All that wait for a name that was looked up in vain. They come up no more.
  mutating func takeUnresolved(_ origin: Origin, now: Int64) -> [Item] {
    guard !origin.isResolved else { return [] }
    var items: [Item] = []
    while let item = origin.waiting.popFirst() { items.append(item) }
    origin.abandoned = 0
    // The next looks for the name anew, and alone.
    close(origin)
    rest(origin, now)
    return items
  }

  /// A waiting item is not wanted any more. It still comes up in ``next()``, unless so many do that they are cleared.
  mutating func abandon(_ origin: Origin, now: Int64, isAbandoned: (Item) -> Bool) {
    origin.abandoned += 1
    guard origin.abandoned > 32, origin.abandoned * 2 > origin.waiting.count else { return }
    origin.waiting.removeAll(where: isAbandoned)
    origin.abandoned = 0
    rest(origin, now)
  }

  private mutating func origin(_ key: String, _ now: Int64) -> Origin {
    guard let origin = origins[key] else {
      let origin = Origin(key)
      origins[key] = origin
      names += 1
      return origin
    }
    if origin.isResting, now - origin.rested > Self.shortRest { close(origin) }
    return origin
  }

  private func mayStart(_ origin: Origin) -> Bool {
    origin.active == 0 || (origin.isOpen && origin.active / origin.factor < limitPerOrigin)
  }

  private mutating func refresh(_ origin: Origin) {
    guard !origin.isReady, !origin.waiting.isEmpty, mayStart(origin) else { return }
    origin.isReady = true
    ready.append(origin)
  }

  private mutating func rest(_ origin: Origin, _ now: Int64) {
    guard origin.isResting else { return }
    if let latest, latest !== origin, latest.isResting { origins[latest.key] = nil }
    latest = origin
    origin.rested = now
    // Those that can share a connection are to find one first.
    if !origin.isResolved || origin.factor > 1 { close(origin) }
  }

  private func close(_ origin: Origin) {
    origin.isOpen = false
    origin.isResolved = false
    origin.factor = 1
  }
}
