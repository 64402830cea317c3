/// Reads arguments as curl does: in order, with groups of short options (`-sSfXPOST`), `--no-` forms, and unambiguous
/// abbreviations of long options.
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
        guard !ArgumentBytes.areBytes(argument) else { throw UsageFailure("the URL is not UTF-8: percent-encode its bytes") }
        state.operation.add(url: argument)
      }
    }
  }

  /// Reads an option. Returns whether it took the next argument as its value.
  mutating func read(option argument: String, next: String?) throws -> Bool {
    // The part of the argument that names the option.
    var shown = argument.hasPrefix("--") ? argument.prefix { $0 != "=" } : argument[...]
    do {
      if argument.hasPrefix("--") {
        let name = argument.dropFirst(2)
        let isNegated = name.hasPrefix("no-")
        let option = try OptionTable.option(named: String(isNegated ? name.dropFirst(3) : name))
        return try apply(option, isOn: !isNegated, joined: "", next: next) ?? false
      }
      var letters = argument.dropFirst()
      guard !letters.isEmpty else { throw OptionProblem.unknown }
      while let letter = letters.popFirst() {
        shown = argument.dropLast(letters.count)
        let option = try OptionTable.option(letter: letter)
        if let takesNext = try apply(option, isOn: true, joined: letters, next: next) { return takesNext }
      }
      return false
    } catch let problem as OptionProblem {
      throw UsageFailure("option \(shown): \(problem)")
    }
  }

  /// Applies an option. Returns nil for a flag, so that the parser continues with the group. Otherwise returns whether the next
  /// argument was the value.
  private mutating func apply(_ option: CommandOption, isOn: Bool, joined: Substring, next: String?) throws -> Bool? {
    switch option.action {
    case .unsupported(let instead): throw OptionProblem.unsupported(instead)
    case .flag(let set):
      guard isOn || option.isNegatable else { throw OptionProblem.notNegatable }
      try set(&state, isOn)
      return nil
    case .value(let placeholder, let set):
      guard isOn else { throw OptionProblem.notAFlag }
      guard let value = joined.isEmpty ? next : String(joined) else { throw OptionProblem.missingValue }
      if joined.isEmpty, placeholder == "file", value.hasPrefix("-"), value.count > 1 {
        state.ownWarnings.append("The file name argument '\(value)' looks like a flag.")
      }
      if ArgumentBytes.areBytes(value) {
        guard !ArgumentBytes.areAmbiguous(value) else { throw OptionProblem.ambiguousBytes }
        guard option.takesBytes(in: value) else { throw OptionProblem.notUTF8 }
      }
      try set(&state, value)
      return joined.isEmpty
    }
  }
}

/// The settings of the arguments read so far.
struct CommandState: Sendable {
  enum Information: Sendable { case help, version }

  var global = GlobalSettings()
  /// The settings of the URLs up to the next `--next`.
  var operation = Operation()
  /// The earlier operations.
  var finished: [Operation] = []
  /// The information to show instead of a transfer.
  var information: Information?
  /// Warnings about the command line, besides the warnings of the operations.
  var ownWarnings: [String] = []
  /// How deep configuration files are nested.
  var depth = 0

  /// All operations.
  var operations: [Operation] { finished + [operation] }
  /// All warnings.
  var warnings: [String] { ownWarnings + operations.flatMap(\.warnings) }
}

/// The options of the whole run, independent of `--next`.
struct GlobalSettings: Sendable {
  var silent = false
  var showError = false
  var progressMeter = true
  /// The format and the path of `-v` or `--trace`.
  var trace: (format: TraceWriter.Format, path: String)?
  var tracesTime = false
  var showsSecrets = false
  var timing = false
  var failsEarly = false
  var parallel = false
  var parallelLimit = 50
}
