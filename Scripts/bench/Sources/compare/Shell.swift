import Foundation

/// A failure that ends the benchmark.
struct Failed: Error, CustomStringConvertible {
  let description: String
  /// The exit status.
  let status: Int32

  init(_ description: String, status: Int32 = 1) {
    self.description = description
    self.status = status
  }
}

/// Other programs, found in PATH.
enum Shell {
  /// A program that has been started. Its output goes to this program's standard error unless `output` is given.
  static func start(
    _ words: [String], output: Any = FileHandle.standardError, errors: Any? = nil, environment: [String: String] = [:]
  )
    throws -> Process
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    if let errors { process.standardError = errors }
    if !environment.isEmpty { process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 } }
    try process.run()
    return process
  }

  /// Runs a program to its end. Throws if it fails.
  static func run(_ words: [String]) throws {
    let process = try start(words)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed("failed: \(words.joined(separator: " "))") }
  }

  /// Runs a program to its end. Returns its output and status.
  static func result(of words: [String], isSilent: Bool = false) throws -> (output: String, status: Int32) {
    let pipe = Pipe()
    let process = try start(words, output: pipe, errors: isSilent ? FileHandle.nullDevice : nil)
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let isCrash = process.terminationReason == .uncaughtSignal
    return (String(decoding: data, as: UTF8.self), isCrash ? 128 + process.terminationStatus : process.terminationStatus)
  }

  /// The output of a program without the line end, or nil if it fails.
  static func output(of words: [String]) -> String? {
    guard let result = try? result(of: words, isSilent: true), result.status == 0 else { return nil }
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  static func succeeds(_ words: [String]) -> Bool { output(of: words) != nil }

  static func has(_ program: String) -> Bool { succeeds(["which", program]) }
}

/// Asks again ten times a second, so many times, until the answer is yes.
func waits(times: Int, for condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<times {
    if try condition() { return true }
    Thread.sleep(forTimeInterval: 0.1)
  }
  return false
}

func say(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
