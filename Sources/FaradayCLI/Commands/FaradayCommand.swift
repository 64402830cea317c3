import ArgumentParser
import Faraday
import FaradayCurl

/// The `faraday` command: `faraday [options] URL`, and the subcommands `events`, `ws`, `serve`, `demo` and `adapters`.
@main
struct FaradayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faraday", abstract: "An HTTP client over libcurl or URLSession, with curl's option names.",
    subcommands: [Events.self, WS.self, Serve.self, Demo.self, Adapters.self])

  static func main() async {
    // A closed pipe must fail the write, which has a separate exit status.
    signal(SIGPIPE, SIG_IGN)
    Descriptor.reserveStandard()
    exit(withError: ExitCode(await status(of: Array(CommandLine.arguments.dropFirst()))))
  }

  /// Runs the command with these arguments and returns the exit status.
  static func status(of arguments: [String]) async -> Int32 {
    switch arguments.first {
    case "events", "ws", "serve", "demo", "adapters": await statusOfSubcommand(arguments)
    case "fetch": await Fetch.status(of: Array(arguments.dropFirst()))
    default: await Fetch.status(of: arguments)
    }
  }

  private static func statusOfSubcommand(_ arguments: [String]) async -> Int32 {
    do {
      var command = try parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return 0
    } catch let code as ExitCode {
      return code.rawValue
    } catch let error where exitCode(for: error) == .success {
      Descriptor.output.say(fullMessage(for: error))
      return 0
    } catch {
      let failure = error as? CommandFailure ?? .usage(redacting(arguments, in: message(for: error)))
      Descriptor.error.say(failure.line)
      return failure.status
    }
  }

  /// Redacts passwords in URLs: the parser quotes arguments that it does not understand.
  private static func redacting(_ arguments: [String], in message: String) -> String {
    arguments.filter { $0.utf8.contains(UInt8(ascii: "@")) }.reduce(message) {
      $0.replacing($1, with: Secrets().redacting(urlText: $1))
    }
  }
}

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
    let failure = CommandFailure(error)
    Descriptor.error.say((error as? UsageFailure)?.line ?? failure.line)
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

/// The command's messages on standard error.
struct Messages: Sendable {
  let settings: GlobalSettings
  /// The progress of parallel transfers. A message interrupts it.
  let progress: Meter

  /// - Parameter writesToOutput: whether a body is written to standard output.
  init(_ settings: GlobalSettings, writesToOutput: Bool = true) {
    self.settings = settings
    let isShown = settings.parallel && !settings.silent && settings.progressMeter && Descriptor.error.isTerminal
    // A body on the terminal would mix with the progress line.
    progress = Meter(on: .error, shown: isShown && !(writesToOutput && Descriptor.output.isTerminal), showsTotal: true)
  }

  /// Writes a warning, unless `-s` is given.
  func warn(_ text: String) { if !settings.silent { say("Warning: " + text) } }

  /// Writes a note, unless `-s` is given.
  func note(_ text: String) { if !settings.silent { say("Note: " + text) } }

  /// Writes the error of a transfer, unless `-s` is given without `-S`.
  func report(_ failure: CommandFailure) { if !settings.silent || settings.showError { say(failure.line) } }

  private func say(_ line: String) {
    progress.clear()
    Descriptor.error.say(line)
  }
}
