/// Expands groups of curl's short options: `-sSfXPOST` is `-s -S -f -X POST`. The argument after an option that takes a value
/// is that value, whatever it looks like.
enum ShortForms {
  /// The short options that take a value.
  static let taking: Set<Character> = ["A", "H", "T", "X", "d", "m", "o", "u", "w"]

  /// The long options that take a value.
  static let takingLong: Set<String> = [
    "--request", "--header", "--data", "--data-ascii", "--data-binary", "--data-raw", "--upload-file", "--output",
    "--user", "--user-agent", "--max-time", "--connect-timeout", "--cacert", "--write-out", "--transport", "--max-redirs",
  ]

  static func expanded(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return result + [argument] + rest }
      if takingLong.contains(argument) {
        result.append(argument)
        if let value = rest.popFirst() { result.append(value) }
      } else if argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.count > 1 {
        let (options, wantsValue) = split(argument.dropFirst())
        result += options
        if wantsValue, let value = rest.popFirst() { result.append(value) }
      } else {
        result.append(argument)
      }
    }
    return result
  }

  /// The options of a group, and whether the last one still needs its value.
  private static func split(_ group: Substring) -> (options: [String], wantsValue: Bool) {
    var options: [String] = []
    var rest = group
    while let option = rest.popFirst() {
      options.append("-\(option)")
      if taking.contains(option) {
        guard !rest.isEmpty else { return (options, true) }
        return (options + [String(rest)], false)
      }
    }
    return (options, false)
  }
}
