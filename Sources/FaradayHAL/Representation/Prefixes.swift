/// The CURIEs in scope of a representation: its own, then the CURIEs of the representation that embeds it.
///
/// Lookups by name take constant time, because a server may send very many.
struct Prefixes: Sendable {
  /// The CURIEs of the representation, in order.
  private(set) var curies: [Curie] = []
  /// The scope of the enclosing representation.
  var outer: Outer?
  /// The index of the first valid template of each name.
  private var places: [String: Int] = [:]

  /// A reference to the enclosing scope.
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

  /// The CURIE with that name.
  subscript(name: String) -> Curie? {
    for scope in scopes { if let place = scope.places[name] { return scope.curies[place] } }
    return nil
  }

  /// All CURIEs in scope, the innermost first.
  var all: some Sequence<Curie> { scopes.lazy.flatMap(\.curies) }

  /// The scope of embedded representations.
  var inside: Outer? { curies.isEmpty ? outer : Outer(self) }

  private var scopes: some Sequence<Prefixes> { sequence(first: self) { $0.outer?.prefixes } }
}
