/// Why the program ends with a status other than 0, and the one line it says about it.
struct CommandFailure: Error, Equatable {
  /// The exit status, curl's number for it.
  let status: Int32
  let message: String

  init(_ status: Int32, _ message: String) {
    self.status = status
    self.message = Self.oneLine(message)
  }

  /// The command line itself is wrong.
  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(2, message.isEmpty ? "the command line is wrong; see faraday --help" : message)
  }

  /// As it stands on standard error.
  var line: String { "faraday: (\(status)) \(message)" }

  /// The message may quote a server or a file: control characters would reach the terminal as commands.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars
      .map { $0.properties.generalCategory == .control ? " " : String($0) }
      .joined()
      .split(separator: " ", omittingEmptySubsequences: true)
      .joined(separator: " ")
  }
}
