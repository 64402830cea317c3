import TestSupport
import FaradayTesting
import Foundation
import TestServers

/// Runs a command in `/bin/sh` with something of ours in the place of `curl`.
enum Shell {
  struct Outcome {
    let status: Int32
    let output: Data

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// With the built `faraday` for `curl`.
  static func run(_ command: String) async throws -> Outcome {
    try await run(command, curl: "'\(BuiltProduct.named("faraday").path)' \"$@\"")
  }

  /// Runs the command with curl itself; nil if curl is not installed.
  static func runCurl(_ command: String) async throws -> Outcome? {
    guard try await run("env curl --version >/dev/null", curl: ":").status == 0 else { return nil }
    return try await run(command, curl: "env curl -q -s \"$@\"")
  }

  /// The words of the command after the shell's expansion, and the piped input.
  static func words(_ command: String) async throws -> (words: [String], input: Data) {
    let isPiped = command.hasPrefix("printf")
    let output = try await run(command, curl: "printf '%s\\0' \"$@\"; \(isPiped ? "cat" : ":")").output
    var parts = output.split(separator: 0, omittingEmptySubsequences: false)[...]
    let count = isPiped ? (parts.firstIndex { $0.starts(with: "http".utf8) } ?? 0) + 1 : parts.count - 1
    let words = parts.prefix(count).map { String(decoding: $0, as: UTF8.self) }
    parts = parts.dropFirst(count)
    return (words, Data(parts.joined(separator: [0])))
  }

  private static func run(_ command: String, curl: String) async throws -> Outcome {
    let script = "curl() { \(curl); }\n{ \(command)\n} 2>/dev/null\n"
    let folder = FileManager.default.temporaryDirectory.path + "/faraday-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A command may be longer than an argument can be.
    try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/script"))
    let shell = try ChildProcess("/bin/sh", ["-c", "cd \"$1\" && . ./script", "sh", folder])
    shell.closeInput()
    var output = Data()
    while true {
      let piece = await shell.next()
      guard !piece.isEmpty else { break }
      output.append(contentsOf: piece)
    }
    let status = await shell.ended()
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    guard left == ["script"] else { throw BrokeOut(files: left) }
    return Outcome(status: status, output: output)
  }

  /// Something has made a file where only the script was.
  struct BrokeOut: Error { let files: [String] }
}
