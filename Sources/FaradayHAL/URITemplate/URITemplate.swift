/// A URI template (RFC 6570, all four levels): `/orders{/id}{?page,tags*}`.
///
///     let template = try URITemplate("/orders{/id}{?page,tags*}")
///     try template.expand(["id": "a/b", "page": 2, "tags": ["new", "paid"]])     // /orders/a%2Fb?page=2&tags=new&tags=paid
public struct URITemplate: Sendable, Hashable {
  /// The text of the template.
  public let text: String
  let parts: [Part]

  /// Parses a template. Throws ``URITemplateError`` if it is malformed.
  public init(_ text: String) throws(URITemplateError) {
    self.text = text
    parts = try Parser(text).parts()
  }

  /// The names of its variables, in order, without duplicates.
  public var variables: [String] {
    var names: [String] = []
    var known: Set<String> = []
    for case .expression(let expression) in parts {
      for variable in expression.variables where known.insert(variable.name).inserted { names.append(variable.name) }
    }
    return names
  }

  /// The value of a variable. An empty array and empty pairs count as undefined, and expand to nothing.
  public enum Value: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An array of strings.
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
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a pair of a name and its value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  enum Part: Sendable, Hashable {
    /// A literal that is percent-encoded already.
    case literal(String)
    case expression(Expression)
  }

  /// `{?page,tags*}`
  struct Expression: Sendable, Hashable {
    let text: String
    /// The offset of its beginning, in Unicode scalars.
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
    /// The maximum number of Unicode scalars of the value.
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
