import ArgumentParser
import Faraday
import FaradayCurl
import FaradayTesting

/// `faraday demo`: demonstrates the library against a local server over each adapter, and checks the results.
///
/// Each adapter runs in a process of its own, this program started again, so that its peak memory is the client's alone.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Demonstrates JSON, a live stream, a large download and a large upload over each adapter, with an embedded server.")

  @Option(help: ArgumentHelp("Uses only this adapter: curl or urlsession.", valueName: "name"))
  var transport: Transport?

  @Option(help: ArgumentHelp("Scales all sizes by this factor.", valueName: "fraction", visibility: .hidden))
  var scale = 1.0

  @Option(help: ArgumentHelp("Runs as the client of this server, and prints the figures.", valueName: "url", visibility: .hidden))
  var server: String?

  @Option(help: ArgumentHelp("The width of the terminal, if there is one.", valueName: "number", visibility: .hidden))
  var columns: Int?

  func validate() throws {
    guard scale > 0, scale <= 1 else { throw ValidationError("--scale must be greater than 0 and at most 1") }
    guard server == nil || transport != nil else { throw ValidationError("--server requires --transport") }
  }

  func run() async throws {
    do {
      if let server, let transport {
        let client = DemoClient(
          connection: try Connection(server + "/", adapter: transport.adapter()), columns: columns, scale: scale)
        try Descriptor.output.write(try await client.figures().record)
      } else {
        try await show()
      }
    } catch {
      // Nothing here may fail, so whatever does is a mismatch.
      Descriptor.error.say(CommandFailure(1, CommandFailure(error).message).line)
      throw ExitCode(1)
    }
  }

  private func show() async throws {
    let server = try LocalServer()
    defer { server.stop() }
    say("The server is \(server.url).")
    var runs: [DemoRun] = []
    for transport in transport.map({ [$0] }) ?? Transport.allCases {
      say("\n== over \(transport.adapterName)" + (transport == .curl ? ", \(CurlAdapter.libraryVersion)" : ""))
      runs.append(try await run(over: transport, to: server))
    }
    say("\n" + DemoRun.table(runs))
    say("Memory is the client's process; the server has one of its own. Every byte was counted at both ends.")
  }

  /// Shows the output of the client's process, and returns its figures.
  private func run(over transport: Transport, to server: LocalServer) async throws -> DemoRun {
    let (connections, requests) = (server.connectionCount, server.requestCount)
    var arguments = ["demo", "--transport", transport.rawValue, "--server", server.url, "--scale", "\(scale)"]
    if Descriptor.output.isTerminal { arguments += ["--columns", "\(Descriptor.output.columns)"] }
    let client = try ChildProcess(CommandLine.arguments[0], arguments)
    var record: Data?
    while case let piece = await client.next(), !piece.isEmpty {
      guard record == nil, let end = piece.firstIndex(of: DemoFigures.separator) else {
        if record == nil { try? Descriptor.output.write(Data(piece)) } else { record?.append(contentsOf: piece) }
        continue
      }
      try? Descriptor.output.write(Data(piece[..<end]))
      record = Data(piece[(end + 1)...])
    }
    guard await client.ended() == 0, let record else { throw CommandFailure(1, "the run over \(transport.rawValue) failed") }
    return DemoRun(
      transport: transport, figures: try JSONDecoder().decode(DemoFigures.self, from: record),
      connections: server.connectionCount - connections, requests: server.requestCount - requests)
  }

  private func say(_ line: String) { Descriptor.output.say(line) }
}
