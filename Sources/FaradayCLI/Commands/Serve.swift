import ArgumentParser
import FaradayTesting

/// `faraday serve`: runs the test server in the foreground.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a local HTTP test server on the loopback interface until it is interrupted.")

  @Option(help: ArgumentHelp("The port to listen on; 0 picks a free one.", valueName: "number"))
  var port = 0

  @Flag(help: "Does not log requests.")
  var quiet = false

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
  }

  func run() async throws {
    // Output is not buffered, and the system closes the sockets.
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
    let log: @Sendable (String) -> Void = { Descriptor.output.say($0) }
    let server: LocalServer
    do {
      server = try LocalServer(port: port, log: quiet ? nil : log)
    } catch {
      throw CommandFailure(7, "cannot listen on port \(port): \(error)")
    }
    defer { server.stop() }
    Descriptor.output.say(server.url)
    for route in LocalServer.routes { Descriptor.output.say("  \(route.path)\(route.query)\n      \(route.answer)") }
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}
