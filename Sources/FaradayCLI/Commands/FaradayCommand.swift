import ArgumentParser
import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The `faraday` command: `faraday [options] URL`, and the subcommands `events`, `serve`, `demo` and `adapters`.
@main
struct FaradayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faraday", abstract: "An HTTP client over libcurl or URLSession, with curl's option names.",
    subcommands: [Events.self, Serve.self, Demo.self, Adapters.self])

  static func main() async {
    // A closed pipe shall be an error of the write, which has an exit status of its own.
    signal(SIGPIPE, SIG_IGN)
    Descriptor.reserveStandard()
    exit(withError: ExitCode(await status(of: Array(CommandLine.arguments.dropFirst()))))
  }

  /// Runs the command with these arguments and returns the exit status.
  static func status(of arguments: [String]) async -> Int32 {
    switch arguments.first {
    case "events", "serve", "demo", "adapters": await statusOfSubcommand(arguments)
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
