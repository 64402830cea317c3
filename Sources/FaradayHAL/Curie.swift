internal import FaradayCore

/// A prefix for relations, which makes `ea:find` of `https://docs.example.com/rels/find` (HAL draft, section 8.2).
public struct Curie: Sendable, Hashable {
  /// The prefix: `ea`.
  public var name: String
  /// A URI template whose variable is `rel`: `https://docs.example.com/rels/{rel}`.
  public var href: String { didSet { template = try? URITemplate(href) } }
  /// Read once: it is as long as a server likes, and asked for each relation.
  private var template: URITemplate?

  public init(_ name: String, href: String) {
    self.name = name
    self.href = href
    template = try? URITemplate(href)
  }

  /// The URI of `ea:find`; nil if that has another prefix, or ``href`` is no template.
  public func expand(_ curie: String) -> String? {
    guard curie.hasPrefix(name + ":") else { return nil }
    return try? template?.expand(["rel": .string(String(curie.dropFirst(name.count + 1)))])
  }

  /// The CURIE of a URI: one that would expand to it. Nil if there is none.
  public func contract(_ uri: String) -> String? {
    guard let (before, after) = surroundings, uri.hasPrefix(before), uri.hasSuffix(after) else { return nil }
    // Both can match the same characters.
    guard uri.count > before.count + after.count else { return nil }
    let reference = String(uri.dropFirst(before.count).dropLast(after.count))
    return [reference, Query.decode(reference)].map { name + ":" + $0 }.first { expand($0) == uri }
  }

  /// What stands before and after the one expression.
  private var surroundings: (before: String, after: String)? {
    guard let template else { return nil }
    var texts = [""]
    for part in template.parts {
      switch part {
      case .literal(let text): texts[texts.count - 1] += text
      case .expression: texts.append("")
      }
    }
    return texts.count == 2 ? (texts[0], texts[1]) : nil
  }
}
