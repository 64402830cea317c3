/// An error with an exit status and a one-line message.
struct CommandFailure: Error, Equatable {
  /// The exit status; curl's number for the error.
  let status: Int32
  let message: String

  init(_ status: Int32, _ message: String) {
    self.status = status
    self.message = Self.oneLine(message)
  }

  /// An invalid command line: exit status 2.
  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(2, message.isEmpty ? "invalid command line; see faraday --help" : message)
  }

  /// The line on standard error.
  var line: String { "faraday: (\(status)) \(message)" }

  /// Replaces control characters: the message may quote a server or a file, and a terminal would interpret them.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars
      .map { $0.properties.generalCategory == .control ? " " : String($0) }
      .joined()
      .split(separator: " ", omittingEmptySubsequences: true)
      .joined(separator: " ")
  }
}
