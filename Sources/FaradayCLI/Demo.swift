import ArgumentParser
import Faraday
import FaradayCurl
import FaradayTesting

/// `faraday demo`: what the library does, shown on a server of its own and checked.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows JSON, a live stream, a large download and a large upload, on an embedded server.")

  @Option(help: ArgumentHelp("Makes everything so much smaller.", valueName: "fraction", visibility: .hidden))
  var scale = 1.0

  func validate() throws {
    guard scale > 0, scale <= 1 else { throw ValidationError("--scale is above 0 and at most 1") }
  }

  func run() async throws {
    do {
      try await show()
    } catch {
      // Nothing here may fail, so whatever does is a mismatch.
      Descriptor.error.say(CommandFailure(1, CommandFailure(error).message).line)
      throw ExitCode(1)
    }
  }

  private func show() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    say("The server is \(server.url), the client \(CurlAdapter.libraryVersion).")
    let connection = try Connection(server.url + "/", adapter: CurlAdapter())
    var steps: [DemoStep] = []

    say("\nJSON, there and back")
    steps.append(try await connection.demoJSON())
    say("\nA stream, each chunk as it arrives")
    steps.append(try await connection.demoStream(interval: Int(200 * scale)))
    say("\nA download, chunk by chunk, kept nowhere")
    steps.append(try await connection.demoDownload(bytes: scaled(512)))
    say("\nAn upload from an async sequence")
    steps.append(try await connection.demoUpload(bytes: scaled(256)))

    say("\n" + TextTable([DemoStep.header] + steps.map(\.row)).text)
    let memory = PeakMemory.bytes.map(Figures.bytes) ?? "unknown"
    say("peak memory         \(memory), server and client together in this process")
    say("connections opened  \(server.connectionCount), for \(server.requestCount) requests")
    say("connections reused  by \(steps.count { $0.reusedConnection }) of \(steps.count) requests")
    say("Every byte was counted at both ends.")
  }

  /// So many MiB, scaled, but never nothing.
  private func scaled(_ mebibytes: Int64) -> Int64 {
    max(1, Int64(Double(mebibytes << 20) * scale))
  }

  private func say(_ line: String) { Descriptor.output.say(line) }
}

/// What one step of the demonstration moved, and in what time.
struct DemoStep: Equatable {
  let name: String
  let bytes: Int64
  let seconds: Double
  let reusedConnection: Bool

  static let header = ["step", "bytes", "seconds", "MiB/s"]

  var row: [String] {
    let rate = seconds > 0 ? Figures.fixed(Double(bytes) / Double(1 << 20) / seconds, places: 1) : "-"
    return [name, "\(bytes)", Figures.fixed(seconds, places: 3), rate]
  }
}
