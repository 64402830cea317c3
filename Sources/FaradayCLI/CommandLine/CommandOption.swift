/// An option of the command: a row of ``OptionTable``. Names, letters and meanings are curl's.
struct CommandOption: Sendable {
  /// What the option does.
  enum Action: Sendable {
    /// A flag, which `--no-name` turns off.
    case flag(@Sendable (inout CommandState, Bool) throws -> Void)
    /// An option with a value.
    case value(placeholder: String, @Sendable (inout CommandState, String) throws -> Void)
    /// One of curl's that is not supported: what to use instead, or why. Says whether it would take a value.
    case unsupported(String)
  }

  let name: String
  let letter: Character?
  let help: String
  let action: Action
  /// Whether `--no-name` turns it off.
  var isNegatable = true
  /// Whether it is an option of curl's; others are never abbreviated.
  var isCurls = true

  /// `-X, --request <method>`.
  var usage: String {
    let short = letter.map { "-\($0), " } ?? "    "
    guard case .value(let placeholder, _) = action else { return "\(short)--\(name)" }
    return "\(short)--\(name) <\(placeholder)>"
  }

  /// Whether the command does what the option asks for.
  var isSupported: Bool {
    if case .unsupported = action { return false }
    return true
  }
}

extension CommandOption {
  /// A flag of the transfers up to `--next`.
  static func flag(
    _ name: String, _ letter: Character? = nil, _ help: String, _ set: @escaping @Sendable (inout Operation, Bool) throws -> Void
  ) -> CommandOption {
    CommandOption(name: name, letter: letter, help: help, action: .flag { try set(&$0.operation, $1) })
  }

  /// A flag that has no `--no-` form.
  static func lone(
    _ name: String, _ letter: Character? = nil, _ help: String, _ set: @escaping @Sendable (inout Operation) throws -> Void
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, help: help, action: .flag { state, _ in try set(&state.operation) }, isNegatable: false)
  }

  /// An option with a value, of the transfers up to `--next`.
  static func value(
    _ name: String, _ letter: Character? = nil, _ placeholder: String, _ help: String,
    _ set: @escaping @Sendable (inout Operation, String) throws -> Void
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, help: help, action: .value(placeholder: placeholder) { try set(&$0.operation, $1) })
  }

  /// A flag of the whole run.
  static func globalFlag(
    _ name: String, _ letter: Character? = nil, _ help: String,
    _ set: @escaping @Sendable (inout GlobalSettings, Bool) throws -> Void
  ) -> CommandOption {
    CommandOption(name: name, letter: letter, help: help, action: .flag { try set(&$0.global, $1) })
  }

  /// An option with a value, of the whole run.
  static func globalValue(
    _ name: String, _ letter: Character? = nil, _ placeholder: String, _ help: String,
    _ set: @escaping @Sendable (inout GlobalSettings, String) throws -> Void
  ) -> CommandOption {
    CommandOption(
      name: name, letter: letter, help: help, action: .value(placeholder: placeholder) { try set(&$0.global, $1) })
  }

  /// An option of curl's that is not supported.
  static func missing(_ name: String, _ letter: Character? = nil, _ instead: String) -> CommandOption {
    CommandOption(name: name, letter: letter, help: instead, action: .unsupported(instead))
  }

  /// This option, which is not one of curl's.
  var own: CommandOption {
    var option = self
    option.isCurls = false
    return option
  }
}
