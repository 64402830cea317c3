/// The prefixes that count in a representation: its own, and behind them those of the one that it was taken from.
///
/// One is found by its name without looking at the others, as a server may send very many.
struct Prefixes: Sendable {
  /// Its own, in order.
  private(set) var curies: [Curie] = []
  /// Those of what it was taken from.
  var outer: Outer?
  /// Where the first of each name stands that is a template.
  private var places: [String: Int] = [:]

  /// A reference to more of the same.
  final class Outer: Sendable {
    let prefixes: Prefixes
    init(_ prefixes: Prefixes) { self.prefixes = prefixes }
  }

  init() {}

  mutating func append(_ curie: Curie) {
    if curie.isTemplate, places[curie.name] == nil { places[curie.name] = curies.count }
    curies.append(curie)
  }

  mutating func replace(with curies: [Curie]) {
    self.curies = []
    places = [:]
    for curie in curies { append(curie) }
  }

  /// The prefix of that name.
  subscript(name: String) -> Curie? {
    for scope in scopes { if let place = scope.places[name] { return scope.curies[place] } }
    return nil
  }

  /// All that count, the first one first.
  var all: some Sequence<Curie> { scopes.lazy.flatMap(\.curies) }

  /// What those see that are taken from this.
  var inside: Outer? { curies.isEmpty ? outer : Outer(self) }

  private var scopes: some Sequence<Prefixes> { sequence(first: self) { $0.outer?.prefixes } }
}
