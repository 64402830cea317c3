internal import FaradayCore

/// A CURIE: a prefix for link relations that abbreviates `https://docs.example.com/rels/find` to `ea:find` (HAL draft, section
/// 8.2).
public struct Curie: Sendable, Hashable {
  /// The prefix: `ea`.
  public var name: String
  /// A URI template with the variable `rel`: `https://docs.example.com/rels/{rel}`.
  public var href: String { didSet { shape = Shape(href) } }
  /// Parsed once: a template from a server may be very long, and it is used for each relation.
  private var shape: Shape?

  /// Creates a prefix with its URI template.
  public init(_ name: String, href: String) {
    self.name = name
    self.href = href
    shape = Shape(href)
  }

  /// Expands `ea:find` to its URI. Returns nil for another prefix, or if ``href`` is not a template with exactly one
  /// expression.
  public func expand(_ curie: String) -> String? {
    guard let (prefix, reference) = Self.split(curie), prefix == name, let shape else { return nil }
    return encode(reference).map { shape.before + $0 + shape.after }
  }

  /// Abbreviates a URI to the CURIE that expands to it. Returns nil if there is none.
  public func contract(_ uri: String) -> String? {
    guard let encoded = encodedReference(in: uri), !encoded.isEmpty else { return nil }
    return [encoded, QueryParameters.decode(encoded)].first { encode($0[...]) == encoded }.map { name + ":" + $0 }
  }

  /// Splits a CURIE into its prefix and reference. Returns nil without a colon.
  static func split(_ curie: String) -> (prefix: String, reference: Substring)? {
    guard let colon = curie.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (String(curie[..<colon]), curie[curie.utf8.index(after: colon)...])
  }

  /// Returns the encoded reference, as the URI contains it.
  func encode(_ reference: Substring) -> String? { try? shape?.expression.expand(["rel": .string(String(reference))]) }

  /// Returns the encoded reference for which the template gives this URI; nil if the URI begins or ends differently.
  func encodedReference(in uri: String) -> String? {
    guard let shape, uri.utf8.starts(with: shape.before.utf8) else { return nil }
    let rest = uri.utf8.dropFirst(shape.before.utf8.count)
    // The text before and the text after can match the same characters.
    guard rest.suffix(shape.after.utf8.count).elementsEqual(shape.after.utf8) else { return nil }
    return String(rest.dropLast(shape.after.utf8.count))
  }

  var isTemplate: Bool { shape != nil }

  /// A template with exactly one expression, and the text before and after it.
  private struct Shape: Sendable, Hashable {
    var before = ""
    var after = ""
    let expression: URITemplate.Expression

    init?(_ href: String) {
      guard let template = try? URITemplate(href) else { return nil }
      var expressions: [URITemplate.Expression] = []
      for part in template.parts {
        switch part {
        case .literal(let text) where expressions.isEmpty: before += text
        case .literal(let text): after += text
        case .expression(let expression): expressions.append(expression)
        }
      }
      guard expressions.count == 1, let only = expressions[0].keeping("rel") else { return nil }
      expression = only
    }
  }
}

extension URITemplate.Expression {
  /// Returns the expression with only that variable; nil if the variable occurs more than once. A server may send very many
  /// variables, and each costs time at every expansion.
  fileprivate func keeping(_ name: String) -> Self? {
    let kept = variables.filter { $0.name == name }
    guard kept.count <= 1 else { return nil }
    return Self(text: text, offset: offset, style: style, variables: kept)
  }
}
