/// An error with an exit status and a one-line message.
struct CommandFailure: Error, Equatable {
  /// The exit status; curl's number for the error.
  let status: Int32
  let message: String
  /// Further lines below the message, such as the place of an error in a URL.
  let below: [String]

  init(_ status: Int32, _ message: String, below: [String] = []) {
    self.status = status
    self.message = Self.oneLine(message)
    self.below = below.map(Self.shown)
  }

  /// An invalid command line: exit status 2.
  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(2, message.isEmpty ? "invalid command line; see faraday --help" : message)
  }

  /// The line on standard error, and those below it.
  var line: String { (["faraday: (\(status)) \(message)"] + below).joined(separator: "\n") }

  /// Replaces control characters: the message may quote a server or a file, and a terminal would interpret them.
  private static func shown(_ text: String) -> String {
    text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
  }

  private static func oneLine(_ text: String) -> String {
    shown(text)
      .split(separator: " ", omittingEmptySubsequences: true)
      .joined(separator: " ")
  }
}
