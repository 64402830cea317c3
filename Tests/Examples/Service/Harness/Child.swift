import Foundation

/// A program that a test starts, with its output in a file. It is killed with this object at the latest.
public final class Child: Sendable {
  private let process = Process()
  private let output: URL

  /// - Parameter output: a file for both of its outputs.
  public init(_ program: URL, _ arguments: [String] = [], environment: [String: String] = [:], output: URL) throws {
    self.output = output
    FileManager.default.createFile(atPath: output.path, contents: nil)
    let file = try FileHandle(forWritingTo: output)
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Everything that it has written.
  public var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
  public var isRunning: Bool { process.isRunning }
  /// The resident memory in bytes; nil if it has ended.
  public var memory: Int? {
    let statm = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
    return statm.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }.map { $0 * 4096 }
  }

  public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Sends a signal, and waits for the end.
  public func end(_ number: Int32 = SIGKILL) async throws {
    signal(number)
    try await eventually { self.isRunning ? nil : true }
  }

  /// Finds a program of Debian; nil if it is not installed.
  public static func installed(_ name: String) -> URL? {
    ["/usr/bin/", "/usr/local/bin/"].map { URL(fileURLWithPath: $0 + name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

/// Waits until there is a value, for as long as it takes: the time limit of the test ends the wait.
@discardableResult
public func eventually<Value: Sendable>(_ value: () async throws -> Value?) async throws -> Value {
  while true {
    if let value = try await value() { return value }
    try await Task.sleep(for: .milliseconds(20))
  }
}
