/// The parts into which an origin's connections are divided, with the number of active requests in each.
///
/// libcurl walks the list of an origin's connections when a request starts. With 1,000 connections that would take longer than
/// everything else. libcurl's pool keeps the connections of different shards apart, so it walks only one shard's list. A request
/// goes to the first shard with room. A shard therefore never needs more connections than it has had requests at the same time,
/// and all its connections stay in use before another shard is used.
struct Shards {
  /// The number of requests in a shard, unless all shards are full.
  static let size = 64
  static let maximum = 127
  private var active: [Int] = []

  /// Returns the shard of a request that starts.
  mutating func begin() -> Int {
    let shard = choose()
    active[shard] += 1
    return shard
  }

  private mutating func choose() -> Int {
    if let shard = active.firstIndex(where: { $0 < Self.size }) { return shard }
    guard active.count == Self.maximum else {
      active.append(0)
      return active.count - 1
    }
    return active.indices.min { active[$0] < active[$1] } ?? 0
  }

  /// Notes that a request of the shard has ended.
  mutating func end(in shard: Int) { active[shard] -= 1 }
}
