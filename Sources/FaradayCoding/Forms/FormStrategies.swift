public import FaradayCore

/// How ``QueryEncoder`` and ``MultipartFormEncoder`` encode names and values.
public struct FormStrategies: Sendable {
  /// How the names of members are encoded.
  public enum Keys: Sendable {
    /// As they are.
    case useDefaultKeys
    /// `myURLProperty` becomes `my_url_property`, as with `JSONEncoder`.
    case convertToSnakeCase
    /// The closure gets the whole coding path, array indices included; the string of the key it returns is the whole name.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// How the elements of an array are encoded. Members of elements are `a[][name]` in any case.
  public enum Arrays: Sendable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case repeated
    /// `a=1,2`; a comma within an element is ambiguous. Arrays of arrays and of objects use brackets.
    case commas
  }

  /// How a Boolean is encoded.
  public enum Bools: Sendable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// How a `Date` is encoded.
  public enum Dates: Sendable {
    /// As `Date` encodes itself: seconds since 2001-01-01.
    case deferredToDate
    /// Whole seconds since 1970-01-01 (Unix time).
    case secondsSince1970
    /// Whole milliseconds since 1970-01-01.
    case millisecondsSince1970
    /// ISO 8601: `2001-01-01T00:00:00Z`. Dates outside the years 0 to 9999 are an error.
    case iso8601
    /// What the closure returns.
    case custom(@Sendable (Date) throws -> String)
  }

  /// How `Data` is encoded.
  public enum DataValues: Sendable {
    /// The bytes themselves in a multipart form; Base64 in a query, which cannot hold bytes.
    case raw
    /// Base64 (RFC 4648).
    case base64
    /// What the closure returns.
    case custom(@Sendable (Data) throws -> String)
  }

  /// How names are encoded. As they are by default.
  public var keys: Keys
  /// How arrays are encoded. `a[]=1&a[]=2` by default.
  public var arrays: Arrays
  /// How Booleans are encoded. `true` and `false` by default.
  public var bools: Bools
  /// How a `Date` is encoded. As it encodes itself by default: seconds since 2001-01-01.
  public var date: Dates
  /// How `Data` is encoded. As bytes in a multipart form and as Base64 in a query by default.
  public var data: DataValues
  /// Whether items are sorted by name. By default they keep the order of declaration.
  public var sortsNames: Bool

  /// The defaults, unless given.
  public init(
    keys: Keys = .useDefaultKeys, arrays: Arrays = .brackets, bools: Bools = .words, date: Dates = .deferredToDate,
    data: DataValues = .raw, sortsNames: Bool = false
  ) {
    self.keys = keys
    self.arrays = arrays
    self.bools = bools
    self.date = date
    self.data = data
    self.sortsNames = sortsNames
  }

  /// The name of a value with that coding path.
  func name(of path: [any CodingKey]) -> String {
    if case .custom(let convert) = keys { return convert(path).stringValue }
    guard let first = path.first else { return "" }
    return path.dropFirst().indices.reduce(converted(first)) { name, index in
      let key = path[index]
      guard key is IndexKey else { return name + "[\(converted(key))]" }
      // A list of values may do without brackets; one of objects or lists may not.
      return index == path.indices.last && !isBracketed ? name : name + "[]"
    }
  }

  private var isBracketed: Bool { if case .brackets = arrays { true } else { false } }

  private func converted(_ key: any CodingKey) -> String {
    guard case .convertToSnakeCase = keys else { return key.stringValue }
    return Self.snakeCase(key.stringValue)
  }

  func text(_ bool: Bool) -> String {
    switch bools {
    case .words: "\(bool)"
    case .digits: bool ? "1" : "0"
    }
  }

  /// A word begins at an uppercase letter that follows a lowercase one, or that a lowercase one follows.
  static func snakeCase(_ key: String) -> String {
    let letters = Array(key)
    var words = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        let isAfterLower = !letters[index - 1].isUppercase
        let isBeforeLower = index + 1 < letters.count && letters[index + 1].isLowercase
        if isAfterLower || isBeforeLower { words.append("_") }
      }
      words += letter.lowercased()
    }
    return words
  }
}
