/// A command line that is wrong, in curl's form.
struct UsageFailure: Error, Equatable {
  /// The exit status.
  let status: Int32
  let message: String

  init(_ message: String, _ status: Int32 = 2) {
    self.message = message
    self.status = status
  }

  /// An option that is wrong.
  init(option: String, _ problem: OptionProblem) {
    self.init("option \(option): \(problem)")
  }

  /// The lines on standard error.
  var line: String { "faraday: \(message)\nfaraday: try 'faraday --help' for more information" }
}
