import Faraday

/// An option of the command: a row of ``OptionTable``. Names, letters and meanings are curl's.
struct CommandOption: Sendable {
  typealias Flag<Settings> = @Sendable (inout Settings, Bool) throws -> Void
  typealias Value<Settings> = @Sendable (inout Settings, String) throws -> Void

  /// The effect of the option.
  enum Action: Sendable {
    /// A flag, which `--no-name` turns off.
    case flag(Flag<CommandState>)
    /// An option with a value.
    case value(placeholder: String, Value<CommandState>)
    /// A curl option that is not supported, with an alternative or a reason.
    case unsupported(String)
  }

  let name: String
  let letter: Character?
  let help: String
  let action: Action
  /// Whether `--no-name` turns it off.
  var isNegatable = true
  /// Whether curl has the option. Other options are never abbreviated.
  var isCurls = true

  /// Whether its value can have bytes that are not UTF-8. The name of a file cannot.
  func takesBytes(in value: String) -> Bool {
    switch name {
    case "cookie": value.contains("=")
    case "data", "data-ascii", "data-binary", "json": !value.hasPrefix("@")
    case "data-raw": true
    case "url-query" where value.hasPrefix("+"): true
    case "data-urlencode", "url-query": value.contains("=") || !value.contains("@")
    default: false
    }
  }

  /// `-X, --request <method>`.
  var usage: String {
    let short = letter.map { "-\($0), " } ?? "    "
    guard case .value(let placeholder, _) = action else { return "\(short)--\(name)" }
    return "\(short)--\(name) <\(placeholder)>"
  }

  /// Whether the command supports the option.
  var isSupported: Bool {
    if case .unsupported = action { return false }
    return true
  }

  /// A flag of the transfers up to `--next`.
  static func flag(_ name: String, _ letter: Character? = nil, _ help: String, _ set: @escaping Flag<Operation>) -> Self {
    Self(name: name, letter: letter, help: help, action: .flag { try set(&$0.operation, $1) })
  }

  /// A flag that has no `--no-` form.
  static func lone(
    _ name: String, _ letter: Character? = nil, _ help: String, _ set: @escaping @Sendable (inout Operation) -> Void
  ) -> Self {
    Self(name: name, letter: letter, help: help, action: .flag { state, _ in set(&state.operation) }, isNegatable: false)
  }

  /// An option with a value, of the transfers up to `--next`.
  static func value(
    _ name: String, _ letter: Character? = nil, _ placeholder: String, _ help: String, _ set: @escaping Value<Operation>
  ) -> Self {
    Self(name: name, letter: letter, help: help, action: .value(placeholder: placeholder) { try set(&$0.operation, $1) })
  }

  /// A flag of the whole run.
  static func globalFlag(
    _ name: String, _ letter: Character? = nil, _ help: String, _ set: @escaping Flag<GlobalSettings>
  ) -> Self {
    Self(name: name, letter: letter, help: help, action: .flag { try set(&$0.global, $1) })
  }

  /// An option with a value, of the whole run.
  static func globalValue(_ name: String, _ placeholder: String, _ help: String, _ set: @escaping Value<GlobalSettings>) -> Self {
    Self(name: name, letter: nil, help: help, action: .value(placeholder: placeholder) { try set(&$0.global, $1) })
  }

  /// This option for the proxy.
  var ofProxy: Self {
    Self(name: "proxy-" + name, letter: nil, help: "--\(name) for the proxy", action: action, isNegatable: isNegatable)
  }

  /// This option, marked as an addition to curl's options.
  var own: Self {
    var option = self
    option.isCurls = false
    return option
  }
}

/// The options of `faraday [options] URL`: all options of curl, supported or not, and a few additions.
enum OptionTable {
  /// All options, by topic.
  static let topics: [(title: String, options: [CommandOption])] = [
    ("Request", request), ("Redirects and retries", repetition), ("Authentication", authentication), ("Output", output),
    ("TLS", tls), ("Proxy", proxy), ("Connection", switches + connection), ("Command", command),
  ]

  /// The switches of the library's list of transport options.
  static let switches: [CommandOption] = TransportOption.all.compactMap { option in
    guard case .flag(let name, let help) = option.curl else { return nil }
    return .flag(String(name.dropFirst(2)), nil, help) { $0.edits[name] = $1 ? option.set : nil }
  }

  static let all: [CommandOption] = topics.flatMap(\.options) + missing

  private static let byLetter = Dictionary(
    all.compactMap { option in option.letter.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })
  private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  static func option(letter: Character) throws(OptionProblem) -> CommandOption {
    guard let option = byLetter[letter] else { throw .unknown }
    return option
  }

  /// Returns the option with this name, or the only curl option with this prefix.
  static func option(named name: String) throws(OptionProblem) -> CommandOption {
    if let option = byName[name] { return option }
    let matches = all.filter { $0.isCurls && $0.name.hasPrefix(name) }
    guard !name.isEmpty, let match = matches.first else { throw .unknown }
    guard matches.count == 1 else { throw .ambiguous }
    return match
  }

  /// The text of `--help`.
  static var help: String {
    let head = """
      Usage: faraday [options...] <url>
      Sends HTTP requests and writes the response bodies. The options are curl's.
      Other commands: faraday events URL (server-sent events), faraday ws URL (WebSocket), faraday serve (a local test server),
      faraday demo, faraday adapters.
      """
    let width = topics.flatMap(\.options).map(\.usage.count).filter { $0 < 34 }.max() ?? 0
    let sections = topics.map { topic in
      let lines = topic.options.map { option in
        " \(option.usage)\(String(repeating: " ", count: max(2, width + 2 - option.usage.count)))\(option.help)"
      }
      return ([topic.title + ":"] + lines).joined(separator: "\n")
    }
    return ([head] + sections).joined(separator: "\n\n") + "\n"
  }
}
