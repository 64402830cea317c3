internal import FaradayCore

/// The index of a URL: the `Vary` fields of its responses, newest first, and a random generation that is part of the keys of
/// its responses. An invalidation removes the index and its generation, which invalidates all responses.
struct VariantIndex: Sendable, Equatable {
  let generation: String
  private(set) var varies: [Vary]

  /// The maximum number of `Vary` values: a server that changes its `Vary` constantly must not slow down every lookup.
  private static let limit = 4

  init(generation: String, varies: [Vary]) {
    self.generation = generation
    self.varies = varies
  }

  /// Creates the index of a new URL.
  init() {
    var generator = SystemRandomNumberGenerator()
    generation = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    varies = []
  }

  /// Inserts a `Vary` as the newest. Returns whether the index has changed.
  mutating func insert(_ vary: Vary) -> Bool {
    guard !varies.contains(vary) else { return false }
    varies = [vary] + varies.prefix(Self.limit - 1)
    return true
  }

  var size: Int { 256 + varies.reduce(0) { $1.names.reduce($0) { $0 + $1.utf8.count + 32 } } }
}
