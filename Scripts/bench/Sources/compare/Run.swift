import Foundation

/// A program that has said why it cannot do a row's work.
struct Unable: Error {}

/// What one run of a program says of itself.
struct Run: Codable {
  let requests: Int
  let bytes: Int
  let seconds: Double
  let peak_rss_kib: Int
  let user_seconds: Double
  let system_seconds: Double
  let voluntary_switches: Int
  var p50_microseconds: Double?
  var p99_microseconds: Double?
  var kib_each: Double?
  var idle_cpu_share: Double?

  var processorSeconds: Double { user_seconds + system_seconds }

  /// Processor time: milliseconds for each GiB of bulk, else microseconds for each request.
  func processorTime(_ unit: Row.Unit) -> Double {
    unit == .megabytes ? processorSeconds * 1000 / (Double(bytes) / Double(1 << 30)) : processorSeconds / Double(requests) * 1e6
  }

  func figure(_ unit: Row.Unit) -> Double {
    switch unit {
    case .requests: Double(requests) / seconds
    case .megabytes: Double(bytes) / seconds / 1e6
    case .kibibytes: kib_each ?? 0
    case .peak: Double(peak_rss_kib) * 1024 / 1e6
    }
  }
}

extension Setup {
  func path(of program: Contestant.Program) -> String {
    switch program {
    case .c: programs.raw
    case .faraday: programs.bench
    case .peers: programs.peers
    case .python: programs.package + "/python/websocket-client"
    }
  }

  /// Runs a program to its end.
  ///
  /// - Parameter isPinned: false leaves it all processors.
  func run(_ contestant: Contestant, _ words: [String], isPinned: Bool = true) throws -> Run {
    let command = (isPinned ? prefix : []) + [path(of: contestant.program)] + words
    let (output, status) = try Shell.result(of: command)
    if status == 4 { throw Unable() }
    guard status == 0 else { throw Failed("failed: \(command.joined(separator: " "))") }
    do { return try JSONDecoder().decode(Run.self, from: Data(output.utf8)) } catch {
      throw Failed("not a line of results: \(command.joined(separator: " ")) printed \(output)")
    }
  }

  /// What was written goes away, so that no run finds the disk full.
  func removeWritten() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: files.served)) ?? []
    for name in names where name.hasPrefix("saved") { try? FileManager.default.removeItem(atPath: files.served + "/" + name) }
  }
}
