/// The options of the whole run, `--next` or not.
struct GlobalSettings: Sendable {
  /// Where `-v` and `--trace` write.
  enum Trace: Sendable, Equatable {
    case verbose
    case ascii(file: String)
    case full(file: String)
  }

  var silent = false
  var showError = false
  var progressMeter = true
  var trace: Trace?
  var tracesTime = false
  var showsSecrets = false
  var timing = false
  /// The file that standard error goes to; `-` is standard output.
  var errorFile: String?
  var failsEarly = false
  var parallel = false
  var parallelLimit = 50
  /// The time between two starts, for `--rate`.
  var startInterval: Duration?

  /// Whether errors are printed.
  var saysErrors: Bool { !silent || showError }
}

/// What the arguments have set so far.
struct CommandState: Sendable {
  var global = GlobalSettings()
  /// The settings of the URLs up to the next `--next`.
  var operation = Operation()
  /// Those before.
  var finished: [Operation] = []
  /// Instead of a transfer.
  var information: Information?
  /// Warnings, in the order in which they came up.
  var warnings: [String] = []
  /// How deep configuration files are nested.
  var depth = 0

  enum Information: Sendable { case help, version }

  /// All operations.
  var operations: [Operation] { finished + [operation] }
}
