internal import FaradayCore

/// A prefix for relations, which makes `ea:find` of `https://docs.example.com/rels/find` (HAL draft, section 8.2).
public struct Curie: Sendable, Hashable {
  /// The prefix: `ea`.
  public var name: String
  /// A URI template whose variable is `rel`: `https://docs.example.com/rels/{rel}`.
  public var href: String { didSet { shape = Shape(href) } }
  /// Read once: it is as long as a server likes, and asked for each relation.
  private var shape: Shape?

  public init(_ name: String, href: String) {
    self.name = name
    self.href = href
    shape = Shape(href)
  }

  /// The URI of `ea:find`; nil if that has another prefix, or ``href`` is no template with one expression.
  public func expand(_ curie: String) -> String? {
    guard let (prefix, reference) = Self.split(curie), prefix == name, let shape else { return nil }
    return encode(reference).map { shape.before + $0 + shape.after }
  }

  /// The CURIE of a URI: one that would expand to it. Nil if there is none.
  public func contract(_ uri: String) -> String? {
    guard let encoded = encodedReference(in: uri), !encoded.isEmpty else { return nil }
    return [encoded, QueryParameters.decode(encoded)].first { encode($0[...]) == encoded }.map { name + ":" + $0 }
  }

  /// `ea` and `find` of `ea:find`: a prefix has no colon. Nil of what has none at all.
  static func split(_ curie: String) -> (prefix: String, reference: Substring)? {
    guard let colon = curie.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (String(curie[..<colon]), curie[curie.utf8.index(after: colon)...])
  }

  /// What stands for a reference in the URI.
  func encode(_ reference: Substring) -> String? { try? shape?.expression.expand(["rel": .string(String(reference))]) }

  /// What would have to stand for a reference, to make this URI. Nil if it begins or ends otherwise.
  func encodedReference(in uri: String) -> String? {
    guard let shape, uri.utf8.starts(with: shape.before.utf8) else { return nil }
    let rest = uri.utf8.dropFirst(shape.before.utf8.count)
    // Both can match the same characters.
    guard rest.count >= shape.after.utf8.count, rest.suffix(shape.after.utf8.count).elementsEqual(shape.after.utf8) else {
      return nil
    }
    return String(rest.dropLast(shape.after.utf8.count))
  }

  var isTemplate: Bool { shape != nil }

  /// A template with one expression, and what stands before and after it.
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
  /// With that variable alone, as no other has a value; nil if it is not there once. A server may name very many, and each costs time
  /// whenever one value is put in.
  fileprivate func keeping(_ name: String) -> Self? {
    let kept = variables.filter { $0.name == name }
    guard kept.count <= 1 else { return nil }
    return Self(text: text, offset: offset, style: style, variables: kept)
  }
}
