public import FaradayCore

/// The rules by which ``QueryEncoder`` and ``MultipartFormEncoder`` encode names and values.
public struct FormStrategies: Sendable {
  /// The encoding of member names.
  public enum Keys: Sendable {
    /// Unchanged.
    case useDefaultKeys
    /// `myURLProperty` becomes `my_url_property`. Names that begin with two uppercase letters, or have digits before an
    /// uppercase letter, differ from those of `JSONEncoder`: `URLValue` becomes `url_value`.
    case convertToSnakeCase
    /// The closure gets the whole coding path, including array indices. The string of the returned key is the whole name.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// The encoding of array elements. Members of elements are always `a[][name]`.
  public enum Arrays: Sendable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case repeated
    /// `a=1,2`; a comma within an element is ambiguous. Arrays of arrays and of objects use brackets.
    case commas
  }

  /// The encoding of a Boolean.
  public enum Bools: Sendable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// The encoding of a `Date`.
  public enum Dates: Sendable {
    /// The encoding of `Date` itself: seconds since 2001-01-01.
    case deferredToDate
    /// Whole seconds since 1970-01-01 (Unix time).
    case secondsSince1970
    /// Whole milliseconds since 1970-01-01.
    case millisecondsSince1970
    /// ISO 8601: `2001-01-01T00:00:00Z`. Dates outside the years 0 to 9999 are an error.
    case iso8601
    /// The closure returns the text.
    case custom(@Sendable (Date) throws -> String)
  }

  /// The encoding of `Data`.
  public enum DataValues: Sendable {
    /// The raw bytes in a multipart form; Base64 in a query, which cannot contain bytes.
    case raw
    /// Base64 (RFC 4648).
    case base64
    /// The closure returns the text.
    case custom(@Sendable (Data) throws -> String)
  }

  /// The encoding of names: unchanged by default.
  public var keys: Keys
  /// The encoding of arrays: `a[]=1&a[]=2` by default.
  public var arrays: Arrays
  /// The encoding of Booleans: `true` and `false` by default.
  public var bools: Bools
  /// The encoding of a `Date`. By default seconds since 2001-01-01, the encoding of `Date` itself.
  public var date: Dates
  /// The encoding of `Data`. By default bytes in a multipart form and Base64 in a query.
  public var data: DataValues
  /// Whether items are sorted by name. By default they keep the order of declaration.
  public var sortsNames: Bool

  /// The strategies; the defaults apply to omitted arguments.
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

  /// The name of a value with the coding path.
  func name(of path: [any CodingKey]) -> String {
    if case .custom(let convert) = keys { return convert(path).stringValue }
    guard let first = path.first else { return "" }
    return path.dropFirst().indices.reduce(converted(first)) { name, index in
      let key = path[index]
      guard key is IndexKey else { return name + "[\(converted(key))]" }
      // A list of values may omit the brackets. A list of objects or lists needs them.
      return index == path.indices.last && !isBracketed ? name : name + "[]"
    }
  }

  /// Whether the element is joined to the element before it.
  func joins(_ path: [any CodingKey]) -> Bool {
    guard case .commas = arrays, path.count > 1, let element = path.last as? IndexKey else { return false }
    return element.index > 0
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

  /// Converts a name to snake case. A word begins at an uppercase letter after a lowercase letter, or before a lowercase
  /// letter.
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
