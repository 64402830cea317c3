import ArgumentParser
import Faraday
import FaradayCurl
import FaradayTesting
import Foundation

/// `faraday demo`: demonstrates the library against a local server over each adapter, and checks the results.
///
/// Each adapter runs in a child process of this program, so that the peak memory is the memory of the client only.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Demonstrates JSON, a live stream, a large download and a large upload over each adapter, with an embedded server.")

  @Option(help: ArgumentHelp("Uses only this adapter: curl or urlsession.", valueName: "name"))
  var transport: Transport?

  @Option(help: ArgumentHelp("Scales all sizes by this factor.", valueName: "fraction", visibility: .hidden))
  var scale = 1.0

  @Option(help: ArgumentHelp("Runs as the client of this server, and prints the figures.", valueName: "url", visibility: .hidden))
  var server: String?

  func validate() throws {
    guard scale > 0, scale <= 1 else { throw ValidationError("--scale must be greater than 0 and at most 1") }
    guard server == nil || transport != nil else { throw ValidationError("--server requires --transport") }
  }

  func run() async throws {
    do {
      if let server, let transport {
        let client = DemoClient(connection: try Connection(server + "/", adapter: transport.adapter()), scale: scale)
        try Descriptor.output.write(try await client.figures().record)
      } else {
        try await show()
      }
    } catch {
      // No step of the demonstration may fail, so any error is a mismatch.
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
    let client = Process()
    client.executableURL = Bundle.main.executableURL
    client.arguments = ["demo", "--transport", transport.rawValue, "--server", server.url, "--scale", "\(scale)"]
    client.standardInput = FileHandle.nullDevice
    let output = Self.output(of: client)
    try client.run()
    var (record, isRecord) = (Data(), false)
    for await piece in output {
      let text = isRecord ? Data() : piece.prefix { $0 != DemoFigures.separator }
      try? Descriptor.output.write(Data(text))
      record += piece.dropFirst(isRecord ? 0 : text.count + 1)
      isRecord = isRecord || text.count < piece.count
    }
    client.waitUntilExit()
    guard client.terminationStatus == 0, isRecord else { throw CommandFailure(1, "the run over \(transport.rawValue) failed") }
    return DemoRun(
      transport: transport, figures: try JSONDecoder().decode(DemoFigures.self, from: record),
      connections: server.connectionCount - connections, requests: server.requestCount - requests)
  }

  /// The pieces of the output of a process that has not started yet.
  private static func output(of process: Process) -> AsyncStream<Data> {
    let pipe = Pipe()
    process.standardOutput = pipe
    return AsyncStream { continuation in
      pipe.fileHandleForReading.readabilityHandler = { handle in
        let piece = handle.availableData
        if piece.isEmpty {
          handle.readabilityHandler = nil
          continuation.finish()
        } else {
          continuation.yield(piece)
        }
      }
    }
  }

  private func say(_ line: String) { Descriptor.output.say(line) }
}

/// The result of one step of the demonstration: bytes and time.
struct DemoStep: Codable, Equatable {
  let name: String
  var bytes: Int64 = 0
  var seconds = 0.0
  /// Whether the adapter lacks a capability that the step needs.
  var isUnsupported = false

  /// Seconds and MiB/s.
  var cells: [String] {
    guard !isUnsupported else { return ["unsupported", "-"] }
    let rate = seconds > 0 ? Figures.fixed(Double(bytes) / Double(1 << 20) / seconds, places: 1) : "-"
    return [Figures.fixed(seconds, places: 3) + " s", rate]
  }
}

/// The measurements of a client's process, as sent to its parent.
struct DemoFigures: Codable, Equatable {
  let steps: [DemoStep]
  let peakMemory: Int64?

  /// The byte that separates the text in the client's output from the figures. No text contains it.
  static let separator: UInt8 = 0x1E

  var record: Data {
    get throws { try [Self.separator] + JSONEncoder().encode(self) }
  }
}

/// The demonstration over one adapter, as client and server measured it.
struct DemoRun: Equatable {
  let transport: Transport
  let figures: DemoFigures
  /// The counts of the server.
  let connections: Int
  let requests: Int

  /// A table with the runs side by side.
  static func table(_ runs: [DemoRun]) -> String {
    var rows = [["step", "bytes"] + runs.flatMap { [$0.transport.rawValue, "MiB/s"] }]
    for (index, step) in (runs.first?.figures.steps ?? []).enumerated() {
      rows.append(
        [step.name, "\(runs.map { $0.figures.steps[index].bytes }.max() ?? 0)"] + runs.flatMap { $0.figures.steps[index].cells })
    }
    func add(_ name: String, _ cell: (DemoRun) -> String) { rows.append([name, ""] + runs.flatMap { [cell($0), ""] }) }
    add("peak memory") { $0.figures.peakMemory.map(Figures.bytes) ?? "unknown" }
    add("requests") { "\($0.requests)" }
    add("connections opened") { "\($0.connections)" }
    // Each connection is opened for one request, so all other requests reused a connection.
    add("connections reused") { "\(max(0, $0.requests - $0.connections))" }
    return TextTable(rows).text
  }
}

/// The peak resident memory of this process.
enum PeakMemory {
  static var bytes: Int64? {
    #if os(Linux)
    // `getrusage` would also count the process that started this one.
    guard let status = try? InputFile(name: "/proc/self/status").contents() else { return nil }
    return bytes(inStatus: String(decoding: status, as: UTF8.self))
    #else
    var usage = rusage()
    return getrusage(RUSAGE_SELF, &usage) == 0 ? Int64(usage.ru_maxrss) : nil
    #endif
  }

  /// Parses the line `VmHWM:   12345 kB`.
  static func bytes(inStatus text: String) -> Int64? {
    text.firstMatch(of: #/VmHWM:\s+([0-9]+)/#).flatMap { Int64($0.1) }.map { $0 * 1024 }
  }
}
