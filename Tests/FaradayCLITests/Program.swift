import TestSupport
import FaradayTesting
import Foundation
import TestServers

/// The built `faraday`, run as anybody runs it.
struct Program {
  /// The outcome of a run.
  struct Outcome {
    let status: Int32
    let output: Data
    /// Standard error.
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs it to its end. Its output goes to files, because a full pipe would block it.
  static func run(_ arguments: String..., input: Data = Data(), in folder: TemporaryFolder? = nil) async throws -> Outcome {
    try await run(arguments, input: input, in: folder)
  }

  static func run(_ arguments: [String], input: Data = Data(), in folder: TemporaryFolder? = nil) async throws -> Outcome {
    let own = try TemporaryFolder()
    try input.write(to: URL(fileURLWithPath: own.file("input")))
    // The tester's own configuration must not affect a test.
    let script =
      "own=$1; export HOME=$own; unset CURL_HOME XDG_CONFIG_HOME; cd \"$2\"; shift 2; exec \"$@\" <$own/input >$own/output 2>$own/error"
    let words = ["-c", script, "sh", own.path, folder?.path ?? own.path, try BuiltProduct.named("faraday").path] + arguments
    let status = await (try ChildProcess("/bin/sh", words)).ended()
    return Outcome(
      status: status, output: own.read("output") ?? Data(), error: String(decoding: own.read("error") ?? Data(), as: UTF8.self))
  }

  /// Starts it, with pipes.
  static func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(BuiltProduct.named("faraday").path, arguments)
  }
}

/// The lines of a program that is still running, as they come.
struct Lines {
  let program: ChildProcess
  private var rest: [UInt8] = []

  init(of program: ChildProcess) { self.program = program }

  mutating func next() async -> String? {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let piece = await program.next()
      guard !piece.isEmpty else { return nil }
      rest += piece
    }
  }
}
