import Faraday
import FaradayCurl

/// `faraday [options] URL...`: sends requests and writes the responses.
enum Fetch {
  /// Runs a command line and returns its exit status.
  static func status(of arguments: [String]) async -> Int32 {
    let state: CommandState
    do {
      state = try reading(arguments)
    } catch {
      return report(error)
    }
    switch state.information {
    case .help: Descriptor.output.say(OptionTable.help)
    case .version: Descriptor.output.say(version)
    case nil:
      let messages = Messages(state.global, writesToOutput: state.operations.contains { $0.writesToOutput })
      for warning in state.warnings { messages.warn(warning) }
      do {
        return await (try Run(state, messages: messages)).status()
      } catch {
        return report(error)
      }
    }
    return 0
  }

  /// Reads the default configuration file, unless `-q` is the first argument, and the arguments.
  static func reading(_ arguments: [String], readsDefault: Bool = true) throws -> CommandState {
    var state = CommandState()
    let isDisabled = arguments.first.map { $0 == "--disable" || ($0.hasPrefix("-q")) } ?? false
    if readsDefault, !isDisabled { ConfigFile.readDefault(into: &state) }
    var parser = CommandLineParser(state)
    try parser.read(arguments)
    return parser.state
  }

  /// Writes an error of the command line, and returns its exit status.
  static func report(_ error: any Error) -> Int32 {
    if let failure = error as? UsageFailure {
      Descriptor.error.say(failure.line)
      return failure.status
    }
    let failure = CommandFailure(error)
    Descriptor.error.say(failure.line)
    return failure.status
  }

  /// The text of `--version`.
  private static var version: String {
    """
    faraday \(packageVersion) \(CurlAdapter.libraryVersion)
    Protocols: http https
    Adapters: \(Transport.allCases.map(\.rawValue).joined(separator: " "))
    """
  }
}
