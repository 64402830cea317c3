import ArgumentParser
import Dispatch
import FaradayTesting
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
    let stop = StopSignals()
    let server = try start()
    Descriptor.output.say(server.url)
    for route in LocalServer.routes { Descriptor.output.say("  \(route.path)\(route.query)\n      \(route.answer)") }
    await stop.first()
    server.stop()
  }

  private func start() throws -> LocalServer {
    let log: @Sendable (String) -> Void = { Descriptor.output.say($0) }
    do {
      return try LocalServer(port: port, log: quiet ? nil : log)
    } catch {
      throw CommandFailure(7, "cannot listen on port \(port): \(error)")
    }
  }
}

/// Waits for SIGINT or SIGTERM, which do not terminate the process meanwhile.
struct StopSignals {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (signals, continuation) = AsyncStream<Void>.makeStream()
    self.signals = signals
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
  }

  func first() async {
    for await _ in signals { break }
    sources.forEach { $0.cancel() }
  }
}
