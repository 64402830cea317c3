import ArgumentParser
import Dispatch
import FaradayTesting
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// `faraday serve`: the server of the tests, in the foreground.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves routes to try requests on, on this machine only, until it is interrupted.")

  @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "number"))
  var port = 0

  @Flag(help: "Does not log requests.")
  var quiet = false

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("--port is from 0 to 65535") }
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
      throw CommandFailure(7, "cannot serve on port \(port): \(error)")
    }
  }
}

/// SIGINT and SIGTERM, waited for instead of died from.
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
