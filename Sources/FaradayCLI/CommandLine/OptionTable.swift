/// The options of `faraday [options] URL`: those of curl, supported or not, and a few of its own.
enum OptionTable {
  /// All of them, by topic.
  static let topics: [(title: String, options: [CommandOption])] = [
    ("Request", request), ("Redirects and retries", repetition), ("Authentication", authentication), ("Output", output),
    ("TLS", tls), ("Proxy", proxy), ("Connection", connection), ("libcurl only", library),
    ("Command", command),
  ]

  static let all: [CommandOption] = topics.flatMap(\.options) + missing

  private static let byLetter = Dictionary(
    all.compactMap { option in option.letter.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })
  private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  static func option(letter: Character) throws(OptionProblem) -> CommandOption {
    guard let option = byLetter[letter] else { throw .unknown }
    return option
  }

  /// The option with this name, or the only one of curl's that begins with it.
  static func option(named name: String) throws(OptionProblem) -> CommandOption {
    if let option = byName[name] { return option }
    guard !name.isEmpty else { throw .unknown }
    let matches = all.filter { $0.isCurls && $0.name.hasPrefix(name) }
    guard let match = matches.first else { throw .unknown }
    guard matches.count == 1 else { throw .ambiguous }
    return match
  }

  /// The text of `--help`.
  static var help: String {
    let head = """
      Usage: faraday [options...] <url>
      Sends HTTP requests and writes the response bodies. The options are curl's.
      Other commands: faraday events URL (server-sent events), faraday serve (a local test server), faraday demo, faraday adapters.
      """
    let width = topics.flatMap(\.options).filter(\.isSupported).map(\.usage.count).filter { $0 < 34 }.max() ?? 0
    let sections = topics.map { topic in
      let lines = topic.options.filter(\.isSupported).map { option in
        let space = String(repeating: " ", count: max(2, width + 2 - option.usage.count))
        return " \(option.usage)\(space)\(option.help)"
      }
      return ([topic.title + ":"] + lines).joined(separator: "\n")
    }
    return ([head] + sections).joined(separator: "\n\n") + "\n"
  }
}
