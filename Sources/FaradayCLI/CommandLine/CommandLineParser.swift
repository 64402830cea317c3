/// Reads arguments as curl does: in order, with groups of short options (`-sSfXPOST`), `--no-` forms, and names of long options
/// shortened to where they are the only ones.
struct CommandLineParser {
  var state: CommandState

  init(_ state: CommandState = CommandState()) { self.state = state }

  /// Reads all arguments. Throws a ``UsageFailure`` that names the option, without its value, which may be a password.
  mutating func read(_ arguments: [String]) throws {
    var rest = arguments[...]
    var takesOptions = true
    while let argument = rest.popFirst(), state.information == nil {
      if takesOptions, argument == "--" {
        takesOptions = false
      } else if takesOptions, argument.hasPrefix("-") {
        if try read(option: argument, next: rest.first) { rest.removeFirst() }
      } else {
        state.operation.add(url: argument)
      }
    }
  }

  /// Reads an option. Returns whether it took the next argument as its value.
  mutating func read(option argument: String, next: String?) throws -> Bool {
    if argument.hasPrefix("--") {
      return try naming(String(argument.prefix { $0 != "=" })) { this throws in
        let name = argument.dropFirst(2)
        let isNegated = name.hasPrefix("no-")
        let option = try OptionTable.option(named: String(isNegated ? name.dropFirst(3) : name))
        return try this.apply(option, isOn: !isNegated, joined: "", next: next) ?? false
      }
    }
    var letters = argument.dropFirst()
    guard !letters.isEmpty else { throw UsageFailure(option: argument, .unknown) }
    while let letter = letters.popFirst() {
      let rest = letters
      let takesNext = try naming(String(argument.dropLast(rest.count))) { this throws in
        try this.apply(try OptionTable.option(letter: letter), isOn: true, joined: rest, next: next)
      }
      if let takesNext { return takesNext }
    }
    return false
  }

  /// Adds the option's name to a problem with it.
  private mutating func naming<Result>(_ name: String, _ body: (inout Self) throws -> Result) throws -> Result {
    do {
      return try body(&self)
    } catch let problem as OptionProblem {
      throw UsageFailure(option: name, problem)
    }
  }

  /// Applies an option. Returns nil for a flag, after which the group goes on; otherwise whether the next argument was the value.
  private mutating func apply(_ option: CommandOption, isOn: Bool, joined: Substring, next: String?) throws -> Bool? {
    switch option.action {
    case .unsupported(let instead): throw OptionProblem.unsupported(instead)
    case .flag(let set):
      guard isOn || option.isNegatable else { throw OptionProblem.notNegatable }
      try applying { try set(&$0, isOn) }
      return nil
    case .value(let placeholder, let set):
      guard isOn else { throw OptionProblem.notAFlag }
      guard let value = joined.isEmpty ? next : String(joined) else { throw OptionProblem.missingValue }
      if joined.isEmpty, placeholder == "file", value.hasPrefix("-"), value.count > 1 {
        state.warnings.append("The file name argument '\(value)' looks like a flag.")
      }
      try applying { try set(&$0, value) }
      return joined.isEmpty
    }
  }

  /// Applies an option, and keeps what it warns of.
  private mutating func applying(_ set: (inout CommandState) throws -> Void) throws {
    do {
      try set(&state)
    } catch let conflict as RequestConflict {
      state.warnings.append("\(conflict)")
      throw OptionProblem.badUse
    }
    state.warnings += state.operation.warnings
    state.operation.warnings = []
  }
}
