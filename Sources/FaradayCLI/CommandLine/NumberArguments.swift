import Faraday

/// The numbers of the command line, as curl reads them.
enum NumberArgument {
  /// A decimal number without a sign.
  static func positive(_ text: String) throws -> Int {
    let number = try integer(text)
    guard number >= 0 else { throw OptionProblem.negative }
    return number
  }

  /// A decimal number.
  static func integer(_ text: String) throws -> Int {
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { throw OptionProblem.notANumber }
    guard let number = Int(text) else { throw OptionProblem.tooLarge }
    return number
  }

  /// Decimal seconds, rounded up to milliseconds; zero is nil, as with curl: no limit.
  static func seconds(_ text: String) throws -> Duration? {
    if text.hasPrefix("-"), text.dropFirst().utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) {
      throw OptionProblem.negative
    }
    guard text.utf8.contains(where: \.isDigit), text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }),
      let seconds = Double(text)
    else { throw OptionProblem.notANumber }
    guard seconds <= 1e9 else { throw OptionProblem.tooLarge }
    return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  /// A number of bytes with a unit: B, K, M, G, T or P, each 1024 of the one before.
  static func size(_ text: String) throws -> Int64 {
    let digits = text.utf8.prefix(while: \.isDigit)
    guard !digits.isEmpty else { throw OptionProblem.badUse }
    guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw OptionProblem.tooLarge }
    let unit = text.dropFirst(digits.count).lowercased()
    guard let power = ["": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5][unit] else { throw OptionProblem.badUse }
    let (size, overflows) = number.multipliedReportingOverflow(by: Int64(1) << (10 * power))
    guard !overflows else { throw OptionProblem.tooLarge }
    return size
  }

  /// `8000` or `8000-8100`; nil is any, if the first is 0.
  static func ports(_ text: String) throws -> ClosedRange<UInt16>? {
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimming() }
    guard let first = UInt16(ends[0]), let last = ends.count == 1 ? first : UInt16(ends[1]), first <= last else {
      throw OptionProblem.badUse
    }
    return first == 0 ? nil : first...last
  }
}
