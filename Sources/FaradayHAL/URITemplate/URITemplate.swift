/// A template for URIs with places for values (RFC 6570, all four levels): `/orders{/id}{?page,tags*}`.
///
///     let template = try URITemplate("/orders{/id}{?page,tags*}")
///     try template.expand(["id": "a/b", "page": 2, "tags": ["new", "paid"]])     // /orders/a%2Fb?page=2&tags=new&tags=paid
public struct URITemplate: Sendable, Hashable {
  /// The template as it was given.
  public let text: String
  let parts: [Part]

  /// Reads a template. Throws ``URITemplateError`` if it is none.
  public init(_ text: String) throws(URITemplateError) {
    self.text = text
    parts = try Parser(text).parts()
  }

  /// The names that its expressions have, in order, each once.
  public var variables: [String] {
    var names: [String] = []
    var known: Set<String> = []
    for case .expression(let expression) in parts {
      for variable in expression.variables where known.insert(variable.name).inserted { names.append(variable.name) }
    }
    return names
  }

  /// What stands for a variable. One that is not given, an empty list and no pairs are undefined, and leave nothing behind.
  public enum Value: Sendable, Hashable {
    case string(String)
    case list([String])
    /// An associative array, in order.
    case pairs([Pair])

    var isDefined: Bool {
      switch self {
      case .string: true
      case .list(let values): !values.isEmpty
      case .pairs(let pairs): !pairs.isEmpty
      }
    }
  }

  /// A member of an associative array.
  public struct Pair: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  enum Part: Sendable, Hashable {
    /// As it goes into the URI.
    case literal(String)
    case expression(Expression)
  }

  /// `{?page,tags*}`
  struct Expression: Sendable, Hashable {
    let text: String
    /// Where it begins, in Unicode scalars from the beginning of the template.
    let offset: Int
    let style: Style
    let variables: [Variable]
  }

  /// `page`, `tags*` or `name:3`.
  struct Variable: Sendable, Hashable {
    let name: String
    let modifier: Modifier?
  }

  enum Modifier: Sendable, Hashable {
    case explode
    /// So many Unicode scalars of the value.
    case prefix(Int)
  }
}

extension URITemplate: CustomStringConvertible {
  public var description: String { text }
}

extension URITemplate.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .string(String(value)) }
  public init(arrayLiteral elements: String...) { self = .list(elements) }
  public init(dictionaryLiteral elements: (String, String)...) { self = .pairs(elements.map { URITemplate.Pair($0, $1) }) }
}
