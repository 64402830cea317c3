internal import FaradayCore

/// A JSON number with arbitrary precision: it keeps all its digits (RFC 8259, section 6).
///
///     let price = try JSONValue(text: "19.90").number
///     price?.literal     // "19.90"
///     price?.double      // 19.9
///
/// Two numbers are equal if they have the same value: `1`, `1.0` and `10e-1` are equal.
public struct JSONNumber: Sendable {
  let storage: Storage

  enum Storage: Sendable {
    /// The digits as an integer, and the number of decimal places: 19.90 is 1990 and 2. There is at least one digit before the
    /// point, and no minus sign before zero.
    case decimal(Int64, places: UInt8)
    /// The text, if it has an exponent or many digits; or the description of a `Double` that is not finite.
    case literal(String)
  }

  init(_ storage: Storage) { self.storage = storage }

  /// An integer of any size.
  public init(_ value: some BinaryInteger) {
    storage = Int64(exactly: value).map { .decimal($0, places: 0) } ?? .literal(String(value))
  }

  /// A number with the fewest digits that parse to the same `Double`. NaN and infinities are kept, and throw an `EncodingError`
  /// when they are serialized.
  public init(_ value: Double) { storage = .literal(value.description) }

  /// A number in JSON syntax: `-1.50e3`. Nil if it is not valid.
  public init?(_ literal: String) {
    guard case .number(let number)? = try? JSONValue(text: literal), number.literal == literal else { return nil }
    self = number
  }

  /// The number in JSON syntax, with all its digits.
  public var literal: String {
    switch storage {
    case .decimal(let value, 0): String(value)
    case .decimal(let value, let places): Self.literal(value, places: Int(places))
    case .literal(let text): text
    }
  }

  /// Whether JSON can represent the number: false for NaN and infinities.
  public var isFinite: Bool {
    switch storage {
    case .decimal: true
    // NaN and infinities end with a letter, not a digit.
    case .literal(let text): text.utf8.last?.isDigit == true
    }
  }

  /// The value as an `Int64`; nil if the value is not integral, or out of range.
  public var int64: Int64? {
    switch storage {
    case .decimal(let value, 0): value
    default: Decimal(self).integer()
    }
  }

  /// The value as a `UInt64`; nil if the value is not integral, or out of range.
  public var uint64: UInt64? {
    switch storage {
    case .decimal(let value, 0): UInt64(exactly: value)
    default: Decimal(self).integer()
    }
  }

  /// The nearest `Double`; nil if the number is too large for a `Double`.
  public var double: Double? {
    switch storage {
    case .decimal(let value, 0): return Double(value)
    // Both operands are exact, so that only the division rounds.
    case .decimal(let value, let places) where value.magnitude < 1 << 53: return Double(value) / Self.powersOfTen[Int(places)]
    default:
      let text = literal
      return Double(text).flatMap { $0.isFinite || !isFinite ? $0 : nil }
    }
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]

  private static func literal(_ value: Int64, places: Int) -> String {
    let digits = String(value.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    return (value < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
  }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
  public init(floatLiteral value: Double) { self.init(value) }
}

extension JSONNumber: CustomStringConvertible {
  /// The ``literal``.
  public var description: String { literal }
}

extension JSONNumber: Hashable {
  /// Compares values, not spellings.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    switch (left.storage, right.storage) {
    case (.decimal(let left, let leftPlaces), .decimal(let right, let rightPlaces)) where leftPlaces == rightPlaces: left == right
    case (.literal(let left), .literal(let right)) where left == right: true
    default: Decimal(left) == Decimal(right)
    }
  }

  /// Hashes the value, not its spelling.
  public func hash(into hasher: inout Hasher) { hasher.combine(Decimal(self)) }
}

extension JSONNumber {
  /// The value in a canonical form: ± digits × 10^exponent.
  fileprivate struct Decimal: Hashable {
    var isNegative = false
    /// The digits without leading and trailing zeros; empty for zero.
    var digits: [UInt8] = []
    var exponent = 0
    /// The text of a number that is not finite or whose exponent is out of range. It equals only the same text.
    var other: String?

    init(_ number: JSONNumber) {
      let text = number.literal
      guard number.isFinite, let exponent = read(text.utf8) else {
        other = text
        return
      }
      let leading = digits.prefix { $0 == 0 }.count
      digits.removeFirst(leading)
      let trailing = digits.reversed().prefix { $0 == 0 }.count
      digits.removeLast(trailing)
      guard !digits.isEmpty else {
        isNegative = false
        return
      }
      self.exponent = exponent + trailing
    }

    /// Reads the digits, and returns the exponent of the last digit; nil if the exponent is out of range.
    private mutating func read(_ text: String.UTF8View) -> Int? {
      var places = 0
      var isFraction = false
      var rest = text[...]
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): isFraction = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          guard let exponent = Int32(String(decoding: rest, as: UTF8.self)) else { return nil }
          return Int(exponent) - places
        default:
          digits.append(byte - UInt8(ascii: "0"))
          places += isFraction ? 1 : 0
        }
      }
      return -places
    }

    /// The value as an integer; nil if it is not integral, or out of range.
    func integer<Integer: FixedWidthInteger>() -> Integer? {
      guard other == nil, exponent >= 0, digits.count + exponent <= 20 else { return digits.isEmpty && other == nil ? 0 : nil }
      var value = Integer.zero
      for digit in digits + repeatElement(0, count: exponent) {
        let (shifted, isOver) = value.multipliedReportingOverflow(by: 10)
        let (next, isOut) =
          isNegative
          ? shifted.subtractingReportingOverflow(Integer(digit)) : shifted.addingReportingOverflow(Integer(digit))
        guard !isOver, !isOut else { return nil }
        value = next
      }
      return value
    }
  }
}
