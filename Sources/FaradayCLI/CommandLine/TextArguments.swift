import Faraday

/// The format of `-w`.
enum WriteOutArgument {
  /// The format itself, or that of a file.
  static func text(_ argument: String) throws -> String {
    guard argument.hasPrefix("@") else { return argument }
    let contents = try InputFile(name: String(argument.dropFirst())).contents()
    // As in curl, which reads one line of it.
    return String(decoding: contents.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 }, as: UTF8.self)
  }
}

/// The rate of `--rate`.
enum RateArgument {
  /// The time between two starts: `2/s`, `3/m`, `15/h`, `14/d`; without a unit, per hour.
  static func interval(_ text: String) throws -> Duration? {
    let digits = text.utf8.prefix(while: \.isDigit)
    guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0 else { throw OptionProblem.badUse }
    let seconds: Int
    switch text.dropFirst(digits.count) {
    case "/s": seconds = 1
    case "/m": seconds = 60
    case "", "/h": seconds = 3600
    case "/d": seconds = 86_400
    default: throw OptionProblem.other("has a unit that is not s, m, h or d")
    }
    return .milliseconds(seconds * 1000 / count)
  }
}
