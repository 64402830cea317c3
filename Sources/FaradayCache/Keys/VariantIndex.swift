internal import FaradayCore

/// The index of a URL: which `Vary` fields its responses have named, newest first, and a random generation that is part of the keys of
/// its responses. An invalidation removes the index, and with its generation all responses.
struct VariantIndex: Sendable, Equatable {
  let generation: String
  private(set) var varies: [Vary]

  /// A server whose `Vary` changes all the time does not make every look-up longer.
  private static let limit = 4

  init(generation: String, varies: [Vary]) {
    self.generation = generation
    self.varies = varies
  }

  /// Of a URL that has none yet.
  init() {
    var generator = SystemRandomNumberGenerator()
    generation = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    varies = []
  }

  /// Returns whether it has changed.
  mutating func insert(_ vary: Vary) -> Bool {
    guard !varies.contains(vary) else { return false }
    varies = [vary] + varies.prefix(Self.limit - 1)
    return true
  }

  var size: Int { 256 + varies.reduce(0) { $1.names.reduce($0) { $0 + $1.utf8.count + 32 } } }
}
