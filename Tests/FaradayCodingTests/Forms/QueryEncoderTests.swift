import FaradayTesting
import FaradayCoding
import FaradayCore
import FoundationEssentials
import Testing

@Suite struct QueryEncoderTests {
  struct Simple: Encodable {
    var stringValue = "test"
    var integer = 42
  }

  struct Nested: Encodable { let nested = Simple() }
  struct List: Encodable { let array: [Int] }
  struct Objects: Encodable { let array = [Simple(), Simple(stringValue: "b", integer: 2)] }
  struct Empty: Encodable {}

  private func encoded(_ value: any Encodable, _ edit: (inout FormStrategies) -> Void = { _ in }) throws -> String {
    var strategies = FormStrategies()
    edit(&strategies)
    return try QueryEncoder(strategies).encode(value).description
  }

  // MARK: Values without a query

  @Test(arguments: [1, "text", [1, 2], true, nil] as [JSONValue])
  func `a value without members is an error`(value: JSONValue) {
    #expect(throws: EncodingError.self) { try encoded(value) }
  }

  @Test func `a number that is not finite is an error with its path`() {
    struct Inner: Encodable { let list = [1.0, .nan] }
    struct Outer: Encodable { let inner = Inner() }
    do {
      _ = try encoded(Outer())
      Issue.record("it was encoded")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["inner", "list", "1"])
    } catch { Issue.record(error) }
  }

  @Test func `a recursive value and an impossible date are errors`() throws {
    final class Loop: Encodable {
      enum Keys: CodingKey { case again }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(self, forKey: .again)
      }
    }
    #expect(throws: EncodingError.self) { try encoded(Loop()) }
    /// So many objects, each in the one before.
    indirect enum Nested: Encodable {
      case leaf
      case object(Nested)

      func encode(to encoder: any Encoder) throws {
        switch self {
        case .leaf: try 1.encode(to: encoder)
        case .object(let inner): try ["a": inner].encode(to: encoder)
        }
      }
    }
    func nested(_ levels: Int) -> Nested { (0..<levels).reduce(.leaf) { inner, _ in .object(inner) } }
    #expect(try encoded(nested(64)).hasSuffix("]=1"))
    #expect(throws: EncodingError.self) { try encoded(nested(65)) }
    for seconds in [Double.infinity, -.infinity, .nan, 1e12, 253_402_300_800] {
      #expect(throws: EncodingError.self) {
        try encoded(["d": Date(timeIntervalSince1970: seconds)]) { $0.date = .iso8601 }
      }
    }
  }

  @Test func `a file and a throwing value are errors`() {
    struct Refused: Error {}
    struct Throwing: Encodable { func encode(to encoder: any Encoder) throws { throw Refused() } }
    #expect(throws: EncodingError.self) { try encoded(["f": FormFile("/etc/passwd")]) }
    #expect(throws: Refused.self) { try encoded(["a": Throwing()]) }
  }

  @Test func `an empty value is an empty query`() throws {
    #expect(try encoded(Empty()) == "")
    struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(try encoded(Silent()) == "")
  }

  // MARK: the cases of RestingKit and Requests

  @Test func `RK-17: a simple model encodes to name=value`() throws {
    #expect(try encoded(Simple()) == "stringValue=test&integer=42")
  }

  @Test func `RK-18: a nested model uses brackets`() throws {
    #expect(try encoded(Nested()) == "nested[stringValue]=test&nested[integer]=42")
  }

  @Test func `RK-19: the elements of a list use empty brackets`() throws {
    #expect(try encoded(List(array: [1, 2, 3])) == "array[]=1&array[]=2&array[]=3")
  }

  @Test func `RK-20: objects in a list use empty brackets and their names`() throws {
    #expect(
      try encoded(Objects())
        == "array[][stringValue]=test&array[][integer]=42&array[][stringValue]=b&array[][integer]=2")
  }

  @Test func `RK-21: names can be converted to snake case`() throws {
    #expect(try encoded(Simple()) { $0.keys = .convertToSnakeCase } == "string_value=test&integer=42")
    let names: [(String, String)] = [
      ("myURLProperty", "my_url_property"), ("URL", "url"), ("aB", "a_b"), ("already_snake", "already_snake"),
      ("already_Snake", "already_snake"), ("", ""),
      ("oneTwoThree", "one_two_three"), ("endsWithURL", "ends_with_url"),
    ]
    for (name, snake) in names {
      #expect(try QueryEncoder(snakeCase).encode([name: 1]).items.map(\.name) == [snake])
    }
  }

  private var snakeCase: FormStrategies {
    var strategies = FormStrategies()
    strategies.keys = .convertToSnakeCase
    return strategies
  }

  @Test func `RQ-33: items keep their order`() throws {
    #expect(try encoded(["test": "value", "test2": "value2"] as JSONValue) == "test=value&test2=value2")
  }

  // MARK: the cases of Swifty

  @Test func `a JSON number keeps its digits, and an invalid one is an error`() throws {
    #expect(
      try encoded(JSONValue(text: #"{"a":1.50,"b":123456789012345678901234567890}"#)) == "a=1.50&b=123456789012345678901234567890"
    )
    #expect(throws: EncodingError.self) { try encoded(["a": Double.nan] as JSONValue) }
  }

  @Test func `SW-08: a query can have one item`() throws {
    #expect(try encoded(["user": "John"] as JSONValue) == "user=John")
  }

  @Test func `SW-09: queries are appended in the order of the calls`() throws {
    var request = try Request("https://host/get")
    request.query.items += try QueryEncoder().encode(["b": 1] as JSONValue).items
    request.query.items += try QueryEncoder().encode(["a": 2] as JSONValue).items
    #expect(request.url.absoluteString == "https://host/get?b=1&a=2")
  }

  @Test func `SW-10: names can be sorted, and lists joined`() throws {
    let value: JSONValue = ["param": "value", "query": "param", "array": ["1", "2", "3"]]
    let query = try encoded(value) {
      $0.arrays = .commas
      $0.sortsNames = true
    }
    #expect(query == "array=1,2,3&param=value&query=param")
  }

  @Test func `SW-11: the query of the path is kept`() throws {
    let connection = try Connection("https://host/api", joining: .append, adapter: NoAdapter())
    var request = try connection.request(.get, "get?hello=world&count=0")
    #expect(request.url.absoluteString == "https://host/api/get?hello=world&count=0")
    request.query.items += try QueryEncoder().encode(["a": 1] as JSONValue).items
    #expect(request.url.absoluteString == "https://host/api/get?hello=world&count=0&a=1")
  }

  @Test func `items of one name keep their order when names are sorted`() throws {
    let sorted = try encoded(["b": [3, 1, 2], "a": ["x", "c"]] as JSONValue) {
      $0.arrays = .repeated
      $0.sortsNames = true
    }
    #expect(sorted == "a=x&a=c&b=3&b=1&b=2")
  }

  // MARK: styles

  @Test func `every list style is encoded`() throws {
    let value: JSONValue = [
      "a": [1, "x", true] as JSONValue, "o": [["k": 1], ["k": 2]], "l": [[1, 2], [3]], "e": [] as JSONValue,
    ]
    #expect(try encoded(value) == "a[]=1&a[]=x&a[]=true&o[][k]=1&o[][k]=2&l[][]=1&l[][]=2&l[][]=3")
    #expect(
      try encoded(value) { $0.arrays = .repeated } == "a=1&a=x&a=true&o[][k]=1&o[][k]=2&l[]=1&l[]=2&l[]=3")
    #expect(try encoded(value) { $0.arrays = .commas } == "a=1,x,true&o[][k]=1&o[][k]=2&l[]=1,2&l[]=3")
  }

  @Test func `Booleans are words or digits, and an encoded nil is a name alone`() throws {
    let value: JSONValue = ["yes": true, "no": false, "null": nil, "list": [nil, 1]]
    #expect(try encoded(value) == "yes=true&no=false&null&list[]&list[]=1")
    #expect(try encoded(value) { $0.bools = .digits } == "yes=1&no=0&null&list[]&list[]=1")
    struct Optional: Encodable { let a: Int? = nil, b: Int? = 1 }
    #expect(try encoded(Optional()) == "b=1")
  }

  @Test func `every date style is encoded`() throws {
    let value = ["d": Date(timeIntervalSince1970: 86_400.5)]
    #expect(try encoded(value) == "d=-978220799.5")
    #expect(try encoded(value) { $0.date = .secondsSince1970 } == "d=86400")
    #expect(try encoded(value) { $0.date = .millisecondsSince1970 } == "d=86400500")
    #expect(try encoded(value) { $0.date = .iso8601 } == "d=1970-01-02T00%3A00%3A00Z")
    let last = ["d": Date(timeIntervalSince1970: 253_402_300_799)]
    #expect(try encoded(last) { $0.date = .iso8601 } == "d=9999-12-31T23%3A59%3A59Z")
    #expect(try encoded(value) { $0.date = .custom { _ in "then" } } == "d=then")
    let never = ["d": Date(timeIntervalSince1970: .infinity)]
    #expect(try encoded(never) { $0.date = .secondsSince1970 } == "d=\(Int64.max)")
    let always = ["d": Date(timeIntervalSince1970: -.infinity)]
    #expect(try encoded(always) { $0.date = .millisecondsSince1970 } == "d=\(Int64.min)")
    #expect(try encoded(["d": Date(timeIntervalSince1970: -1.5)]) { $0.date = .secondsSince1970 } == "d=-1")
  }

  @Test func `every style of bytes is encoded, and types with their own text`() throws {
    #expect(try encoded(["d": Data("a?".utf8)]) == "d=YT8%3D")
    #expect(try encoded(["d": Data("ab".utf8)]) { $0.data = .custom { "\($0.count)" } } == "d=2")
    #expect(try encoded(["u": URL(string: "http://h/?a=1")]) == "u=http%3A%2F%2Fh%2F%3Fa%3D1")
    #expect(try encoded(["n": Decimal(string: "0.1")]) == "n=0.1")
    #expect(try encoded(["n": UInt64.max]) == "n=18446744073709551615")
  }

  @Test func `a custom name is computed from the whole path`() throws {
    let query = try encoded(["a": ["b": [1, 2]]] as JSONValue) {
      $0.keys = .custom { path in Name(path.map { $0.intValue.map { "#\($0)" } ?? $0.stringValue }.joined(separator: ".")) }
    }
    #expect(query == "a.b.%230=1&a.b.%231=2")
  }

  @Test func `a long list is encoded in linear time`() throws {
    #expect(try QueryEncoder().encode(["a": Array(0..<20_000)]).items.count == 20_000)
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct NoAdapter: Adapter {
    let capabilities: Capabilities = []
    func send(_ request: Request) async throws -> Response { throw CancellationError() }
  }

  @Test func `the last value of a member that is encoded twice counts, at the first position`() throws {
    struct Twice: Encodable {
      enum Keys: CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(1, forKey: .a)
        try container.encode(2, forKey: .b)
        try container.encode(3, forKey: .a)
      }
    }
    #expect(try encoded(Twice()) == "a=3&b=2")
    struct TwiceList: Encodable {
      enum Keys: CodingKey { case list, object }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        for values in [[1, 2], [3]] { try container.encode(values, forKey: .list) }
        for name in ["a", "b"] { try container.encode([name: 1], forKey: .object) }
      }
    }
    #expect(try encoded(TwiceList()) == "list[]=3&object[b]=1")
  }

  @Test func `numbers that are not finite are errors`() {
    #expect(throws: EncodingError.self) { try encoded(["n": Decimal.nan]) }
    #expect(throws: EncodingError.self) { try encoded(["n": Double.infinity]) }
  }

  @Test func `a class encodes its inherited members`() throws {
    class Base: Encodable { let a = 1 }
    class Derived: Base {
      enum Keys: CodingKey { case b }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(2, forKey: .b)
        try super.encode(to: container.superEncoder())
      }
    }
    #expect(try encoded(Derived()) == "b=2&super[a]=1")
  }

  @Test func `a value on a small stack is encoded or rejected as too deep`() async throws {
    struct Nested: Encodable {
      let levels: Int
      enum Name: CodingKey { case a }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        if levels > 1 {
          try container.encode(Nested(levels: levels - 1), forKey: .a)
        } else {
          try container.encode(1, forKey: .a)
        }
      }
    }
    let outcome = try await onSmallStack {
      [64, 65, 100_000].map { (try? QueryEncoder().encode(Nested(levels: $0)).items.count) ?? 0 }
    }
    #expect(outcome == [1, 0, 0])
  }
}
