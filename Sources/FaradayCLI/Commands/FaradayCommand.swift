import ArgumentParser
import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The `faraday` command: `faraday [options] URL`, and the subcommands `serve`, `demo` and `adapters`.
@main
struct FaradayCommand: AsyncParsableCommand {
  static let version = "0.1"

  static let configuration = CommandConfiguration(
    commandName: "faraday", abstract: "An HTTP client over libcurl or URLSession, with curl's option names.",
    subcommands: [Fetch.self, Serve.self, Demo.self, Adapters.self], defaultSubcommand: Fetch.self)

  static func main() async {
    // A closed pipe shall be an error of the write, which has an exit status of its own.
    signal(SIGPIPE, SIG_IGN)
    exit(withError: ExitCode(await status(of: Array(CommandLine.arguments.dropFirst()))))
  }

  /// Runs the command with these arguments and returns the exit status.
  static func status(of arguments: [String]) async -> Int32 {
    if ["-h", "--help"].contains(arguments.first) {
      Descriptor.output.say(Fetch.help)
      return 0
    }
    do {
      var command = try parseAsRoot(expanded(arguments))
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

  /// The arguments with groups of curl's short options expanded, unless they belong to another subcommand.
  static func expanded(_ arguments: [String]) -> [String] {
    switch arguments.first {
    case "serve", "demo", "adapters", "help": arguments
    case "fetch": ["fetch"] + ShortForms.expanded(Array(arguments.dropFirst()))
    default: ShortForms.expanded(arguments)
    }
  }
}
