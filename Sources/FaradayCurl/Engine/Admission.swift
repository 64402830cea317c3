@_spi(Adapters) internal import FaradayCore

/// The request queue: selects the next item to start, under a limit per origin and a total limit. Origins take turns (round
/// robin). The items of an origin start in the order of their arrival, except that a closed ``Gate`` delays only its own items.
///
/// libcurl's own queue is not used, because its waiting time counts towards the connect timeout.
struct Admission<Item> {
  /// A preparation that one item, the leader, does for all items with the same key. The other items wait until the preparation
  /// is done.
  final class Gate {
    fileprivate let key: GateKey
    /// Whether items may start without waiting: the leader's preparation has ended, successfully or not.
    fileprivate var isOpen = false
    /// Whether the preparation has succeeded. An open gate is then remembered for a while.
    fileprivate var isPrepared = false
    /// The number of the leader; nil if there is none.
    fileprivate var leader: Int?
    /// The number of items that wait for the gate, or are active.
    fileprivate var members = 0
    fileprivate var lanes: [Lane] = []
    /// The time at which the last item ended, in nanoseconds.
    fileprivate var idleSince: Int64 = 0

    fileprivate init(_ key: GateKey) { self.key = key }
  }

  /// The waiting items to one origin with the same gate. The origin and the gate keep the lane while it has items.
  fileprivate final class Lane {
    let origin: Origin
    let gate: Gate?
    var waiting = Fifo<(number: Int, item: Item)>()
    var cancelled = 0

    init(_ origin: Origin, _ gate: Gate?) {
      self.origin = origin
      self.gate = gate
    }

    /// Whether the lane's first item arrived before the other lane's.
    func precedes(_ other: Lane?) -> Bool {
      guard let own = waiting.first, let others = other?.waiting.first else { return true }
      return own.number < others.number
    }
  }

  final class Origin {
    fileprivate let key: String
    /// The maximum number of connections.
    fileprivate var limit: Int
    // No run-time check for exclusive access, for speed: it is only counted up and down.
    @exclusivity(unchecked) fileprivate var active = 0
    /// The lanes with waiting items.
    fileprivate var lanes: [Lane] = []
    fileprivate var isInReadyQueue = false
    fileprivate var streamsPerConnection = 1

    fileprivate var isIdle: Bool { active == 0 && lanes.isEmpty }
    fileprivate var hasRoom: Bool { active == 0 || active / streamsPerConnection < limit }

    fileprivate init(_ key: String, limit: Int) {
      self.key = key
      self.limit = limit
    }
  }

  /// The origin and the gate of a queued or active item.
  struct Place {
    fileprivate let origin: Origin
    fileprivate let gate: Gate?
    fileprivate let number: Int

    /// The gate that the item has passed, or waits for.
    var key: GateKey? { gate?.key }
  }

  /// The idle time after which a gate is closed again, in nanoseconds.
  static var shortIdle: Int64 { 1_000_000_000 }

  private let limitPerOrigin: Int
  private let limit: Int
  private let isCancelled: (Item) -> Bool
  /// Reserves an idle keep-alive connection for the item, if there is one. The item then needs no gate.
  private let takesKeptConnection: (Item) -> Bool
  private var active = 0
  private var lastNumber = 0
  private var origins: [String: Origin] = [:]
  private var gates: [GateKey: Gate] = [:]
  /// The latest active origin and the latest open gate: only these are remembered while idle.
  private var latestOrigin: Origin?
  private var latestGate: Gate?
  private var ready = Fifo<Origin>()
  /// The number of origins that were added since the DNS cache was cleared.
  private var newOrigins = 0

  init(
    perOrigin: Int, total: Int, isCancelled: @escaping (Item) -> Bool = { _ in false },
    takesKeptConnection: @escaping (Item) -> Bool = { _ in false }
  ) {
    limitPerOrigin = max(1, perOrigin)
    limit = max(1, total)
    self.isCancelled = isCancelled
    self.takesKeptConnection = takesKeptConnection
  }

  /// Whether nothing is waiting or active.
  var isIdle: Bool { origins.values.allSatisfy(\.isIdle) }

  var originCount: Int { origins.count }
  var gateCount: Int { gates.count }

  /// Whether ``next()`` may return an item.
  var hasReady: Bool { !ready.isEmpty && active < limit }

  /// Whether so many names were resolved that libcurl's DNS cache should be cleared.
  var shouldClearDNSCache: Bool { newOrigins > 1000 }

  mutating func didClearDNSCache() { newOrigins = 0 }

  // MARK: waiting and starting

  /// Returns the item's place if the item may start at once without overtaking a waiting item; otherwise nil. The item counts
  /// as active until ``release(_:now:)``.
  ///
  /// - Parameters:
  ///   - key: the gate that the item must pass; nil for none.
  ///   - originLimit: the limit of this origin from now on; nil means the default limit per origin.
  mutating func admit(_ item: Item, to origin: String, by key: GateKey? = nil, limit originLimit: Int? = nil, now: Int64)
    -> Place?
  {
    guard ready.isEmpty, active < limit else { return nil }
    let origin = self.origin(origin, originLimit)
    guard origin.hasRoom else { return nil }
    let number = nextNumber()
    let gate = gate(key, now)
    guard passes(gate, number, item) else {
      noteIdle(origin)
      return nil
    }
    return start(origin, gate, number)
  }

  /// Adds an item to the queue.
  mutating func enqueue(_ item: Item, to origin: String, by key: GateKey? = nil, limit originLimit: Int? = nil, now: Int64)
    -> Place
  {
    let origin = self.origin(origin, originLimit)
    var gate = gate(key, now)
    let number = nextNumber()
    if let closed = gate, !mayPass(closed), origin.hasRoom, takesKeptConnection(item) { gate = nil }
    lane(origin, gate).waiting.append((number, item))
    gate?.members += 1
    refresh(origin)
    return Place(origin: origin, gate: gate, number: number)
  }

  /// Removes the next item that may start; nil if there is none. The item counts as active until ``release(_:now:)``.
  mutating func next(now: Int64) -> (item: Item, place: Place)? {
    while active < limit, let origin = ready.popFirst() {
      origin.isInReadyQueue = false
      while origin.hasRoom, let (number, item, gate) = takeNext(of: origin) {
        gate?.members -= 1
        guard !isCancelled(item) else {
          if let gate { noteIdle(gate, now) }
          continue
        }
        let place = start(origin, gate, number)
        refresh(origin)
        return (item, place)
      }
      noteIdle(origin)
    }
    return nil
  }

  /// Opens the item's gate: the leader's preparation has succeeded.
  mutating func open(_ place: Place) {
    guard let gate = place.gate, !gate.isPrepared else { return }
    gate.isPrepared = true
    open(gate)
  }

  /// Notes that the item uses a keep-alive connection. If the item is a leader, another item becomes the leader.
  mutating func usesKeptConnection(_ place: Place) {
    guard let gate = place.gate, gate.leader == place.number else { return }
    passLeadership(of: gate)
  }

  /// Notes that a connection to the item's origin may be free. An item that waits for a gate may then start without it.
  mutating func connectionIsFree(_ place: Place) {
    guard place.origin.hasRoom, let (lane, index) = laneWithConnection(place.origin) else { return }
    // It starts ahead of the other items that wait for the gate.
    guard let waiting = lane.waiting.remove(at: index) else { return }
    remove(lane, ifEmptyOf: place.origin)
    self.lane(place.origin, nil).waiting.append(waiting)
    lane.gate?.members -= 1
    refresh(place.origin)
  }

  /// Raises the origin's limit: its connections are multiplexed (HTTP/2), with this number of streams each.
  mutating func multiplex(_ place: Place, streams: Int) {
    place.origin.streamsPerConnection = max(1, streams)
    refresh(place.origin)
  }

  /// Notes that an active item has ended, successfully or not.
  ///
  /// - Parameter hasTried: false if the item ended for its own reason, such as a cancellation. If the item was a leader,
  ///   another item then does the preparation. Otherwise the gate opens: the preparation has failed or timed out, and the
  ///   waiting items do not wait for another leader.
  mutating func release(_ place: Place, hasTried: Bool = true, now: Int64) {
    place.origin.active -= 1
    active -= 1
    if let gate = place.gate {
      gate.members -= 1
      if gate.leader == place.number {
        if hasTried { open(gate) } else { passLeadership(of: gate) }
      }
      noteIdle(gate, now)
    }
    refresh(place.origin)
    noteIdle(place.origin)
  }

  /// Removes all items that wait for the item's preparation; empty if the preparation has succeeded.
  mutating func takeUnprepared(_ place: Place, now: Int64) -> [Item] {
    guard let gate = place.gate, !gate.isPrepared else { return [] }
    var waiting: [(number: Int, item: Item)] = []
    for lane in gate.lanes {
      while let next = lane.waiting.popFirst() { waiting.append(next) }
      lane.origin.lanes.removeAll { $0 === lane }
      noteIdle(lane.origin)
    }
    gate.lanes = []
    gate.members -= waiting.count
    // The next item becomes the leader.
    gate.isOpen = false
    noteIdle(gate, now)
    return waiting.sorted { $0.number < $1.number }.map(\.item)
  }

  /// Notes that a waiting item was cancelled. The item is removed in its turn, or now if many are cancelled.
  mutating func noteCancelled(_ place: Place, now: Int64) {
    guard let lane = place.origin.lanes.first(where: { $0.gate === place.gate }) else { return }
    lane.cancelled += 1
    guard lane.cancelled > 32, lane.cancelled * 2 > lane.waiting.count else { return }
    let before = lane.waiting.count
    lane.waiting.removeAll { isCancelled($0.item) }
    lane.cancelled = 0
    lane.gate?.members -= before - lane.waiting.count
    remove(lane, ifEmptyOf: place.origin)
    if let gate = lane.gate { noteIdle(gate, now) }
    noteIdle(place.origin)
  }

  // MARK: origins and gates

  private mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func origin(_ key: String, _ originLimit: Int?) -> Origin {
    if let origin = origins[key] {
      origin.limit = originLimit ?? limitPerOrigin
      return origin
    }
    let origin = Origin(key, limit: originLimit ?? limitPerOrigin)
    origins[key] = origin
    newOrigins += 1
    return origin
  }

  private mutating func gate(_ key: GateKey?, _ now: Int64) -> Gate? {
    guard let key else { return nil }
    if let gate = gates[key], gate.members > 0 || now - gate.idleSince <= Self.shortIdle { return gate }
    let gate = Gate(key)
    gates[key] = gate
    return gate
  }

  private func lane(_ origin: Origin, _ gate: Gate?) -> Lane {
    if let lane = origin.lanes.first(where: { $0.gate === gate }) { return lane }
    let lane = Lane(origin, gate)
    origin.lanes.append(lane)
    gate?.lanes.append(lane)
    return lane
  }

  private func remove(_ lane: Lane, ifEmptyOf origin: Origin) {
    guard lane.waiting.isEmpty else { return }
    origin.lanes.removeAll { $0 === lane }
    lane.gate?.lanes.removeAll { $0 === lane }
  }

  // MARK: starting

  /// Whether the item may pass the gate. If the gate has no leader, the item becomes its leader.
  private func passes(_ gate: Gate?, _ number: Int, _ item: Item) -> Bool {
    guard let gate, !gate.isOpen, !takesKeptConnection(item) else { return true }
    guard gate.leader == nil else { return false }
    gate.leader = number
    return true
  }

  private func mayPass(_ gate: Gate) -> Bool { gate.isOpen || gate.leader == nil }

  private func mayPass(_ lane: Lane) -> Bool { lane.gate.map(mayPass) ?? true }

  private mutating func start(_ origin: Origin, _ gate: Gate?, _ number: Int) -> Place {
    origin.active += 1
    active += 1
    gate?.members += 1
    return Place(origin: origin, gate: gate, number: number)
  }

  /// Removes the first item that may start.
  private func takeNext(of origin: Origin) -> (number: Int, item: Item, gate: Gate?)? {
    var first: Lane?
    for lane in origin.lanes where mayPass(lane) && lane.precedes(first) { first = lane }
    guard let first, let (number, item) = first.waiting.popFirst() else { return nil }
    remove(first, ifEmptyOf: origin)
    if !isCancelled(item) { _ = passes(first.gate, number, item) }
    return (number, item, first.gate)
  }

  /// Returns the first item that waits for a gate although a connection is free for it.
  private func laneWithConnection(_ origin: Origin) -> (Lane, index: Int)? {
    for lane in origin.lanes where !mayPass(lane) {
      if let index = lane.waiting.firstIndex(ofFirst: 64, where: { !isCancelled($0.item) && takesKeptConnection($0.item) }) {
        return (lane, index)
      }
    }
    return nil
  }

  private mutating func passLeadership(of gate: Gate) {
    gate.leader = nil
    refresh(gate)
  }

  private mutating func open(_ gate: Gate) {
    gate.isOpen = true
    gate.leader = nil
    refresh(gate)
  }

  private mutating func refresh(_ gate: Gate) {
    for lane in gate.lanes { refresh(lane.origin) }
  }

  private mutating func refresh(_ origin: Origin) {
    guard !origin.isInReadyQueue, origin.hasRoom, origin.lanes.contains(where: mayPass) else { return }
    origin.isInReadyQueue = true
    ready.append(origin)
  }

  // MARK: idle origins and gates

  private mutating func noteIdle(_ origin: Origin) {
    // A removed origin may still be in the ready queue, while a newer origin has its key.
    guard origin.isIdle, origins[origin.key] === origin else { return }
    // Items that can share a connection wait for the first item's connection.
    origin.streamsPerConnection = 1
    if let latestOrigin, latestOrigin !== origin, latestOrigin.isIdle { origins[latestOrigin.key] = nil }
    latestOrigin = origin
  }

  private mutating func noteIdle(_ gate: Gate, _ now: Int64) {
    guard gate.members == 0 else { return }
    guard gate.isPrepared, gate.key.isLookup else {
      gates[gate.key] = nil
      return
    }
    if let latestGate, latestGate !== gate, latestGate.members == 0, gates[latestGate.key] === latestGate {
      gates[latestGate.key] = nil
    }
    latestGate = gate
    gate.idleSince = now
  }
}
