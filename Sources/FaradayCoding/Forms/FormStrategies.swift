public import FaradayCore

/// How names and values of queries and forms are made.
public struct FormStrategies: Sendable {
  /// The names of members.
  public enum Keys: Sendable {
    case useDefaultKeys
    /// `myURLProperty` is `my_url_property`, as with `JSONEncoder`.
    case convertToSnakeCase
    /// Gets the whole path, indices of lists included; its string is the whole name.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// The elements of a list. Members of an element are `a[][name]` in any case.
  public enum Arrays: Sendable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case repeated
    /// `a=1,2`; a comma within an element is not told from those between them. Lists of lists and of objects have brackets.
    case commas
  }

  public enum Bools: Sendable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  public enum Dates: Sendable {
    /// As `Date` encodes itself: seconds since 2001.
    case deferredToDate
    /// Whole seconds.
    case secondsSince1970
    /// Whole milliseconds.
    case millisecondsSince1970
    /// `2001-01-01T00:00:00Z`
    case iso8601
    case custom(@Sendable (Date) throws -> String)
  }

  public enum DataValues: Sendable {
    /// The bytes themselves in a multipart form; Base64 in a query, which has no place for bytes.
    case raw
    case base64
    case custom(@Sendable (Data) throws -> String)
  }

  /// How names are written. As they are by default.
  public var keys: Keys
  /// How a list is written. `a[]=1&a[]=2` by default.
  public var arrays: Arrays
  /// How a Boolean is written. `true` and `false` by default.
  public var bools: Bools
  /// How a `Date` is written. As it encodes itself by default.
  public var date: Dates
  /// How `Data` is written. As bytes in a multipart form and as Base64 in a query by default.
  public var data: DataValues
  /// Whether items stand in the order of their names, rather than of their declaration. False by default.
  public var sortsNames: Bool

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

  /// The name of a leaf.
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

  /// A word begins at an upper case letter that follows a lower case one, or that a lower case one follows.
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
