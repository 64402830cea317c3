#if canImport(Glibc)
import Glibc
private let thisProcess = Int32(RUSAGE_SELF.rawValue)
#else
import Darwin
private let thisProcess = RUSAGE_SELF
#endif

/// What a mode did.
public struct Outcome: Sendable {
  /// Bytes of responses, or for uploads bytes sent.
  public var bytes: Int
  /// How long the work itself took, where that is not the whole run.
  public var seconds: Double?
  /// Figures of one mode only, by name.
  public var more: [String: Double]
  /// How long each request took.
  public var latencies: [Duration] = []

  public init(bytes: Int, seconds: Double? = nil, more: [String: Double] = [:]) {
    (self.bytes, self.seconds, self.more) = (bytes, seconds, more)
  }

  /// The figures of the mode, with the latencies of half and of 99 of 100 requests.
  fileprivate var figures: [String: Double] {
    guard !latencies.isEmpty else { return more }
    let sorted = latencies.sorted()
    func microseconds(_ percent: Int) -> Double { sorted[(sorted.count - 1) * percent / 100].inSeconds * 1e6 }
    return more.merging(["p50_microseconds": microseconds(50), "p99_microseconds": microseconds(99)]) { $1 }
  }
}

/// What the process has used up to now.
public struct Usage: Sendable {
  public let user: Double
  public let system: Double
  public let switches: Int
  public let peakKiB: Int

  public static var now: Usage {
    var usage = rusage()
    getrusage(thisProcess, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return Usage(
      user: seconds(usage.ru_utime), system: seconds(usage.ru_stime), switches: usage.ru_nvcsw, peakKiB: usage.ru_maxrss)
  }

  /// The memory that the process has now, in KiB. 0 where the system does not say.
  public static var residentKiB: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) / 1024 : 0
  }
}

extension Duration {
  /// Seconds and fractions of them.
  public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Does the work and prints one line of JSON with the C program's keys; everything else goes to standard error.
public func report(_ arguments: Arguments, by implementation: String, _ work: @Sendable () async throws -> Outcome) async throws {
  let before = Usage.now
  let clock = ContinuousClock()
  var outcome = Outcome(bytes: 0)
  let whole = try await clock.measure { outcome = try await work() }
  let after = Usage.now
  let more = outcome.figures.sorted { $0.key < $1.key }.map { ",\"\($0.key)\":\($0.value)" }.joined()
  print(
    "{\"mode\":\"\(arguments.mode)\",\"implementation\":\"\(implementation)\",\"requests\":\(arguments.requests)"
      + ",\"bytes\":\(outcome.bytes),\"seconds\":\(outcome.seconds ?? whole.inSeconds),\"peak_rss_kib\":\(after.peakKiB)"
      + ",\"user_seconds\":\(after.user - before.user),\"system_seconds\":\(after.system - before.system)"
      + ",\"voluntary_switches\":\(after.switches - before.switches)\(more)}")
}

/// Reads the arguments, bounds the run, and does the work; ends the process with 1 if it fails.
public func runMeasured(_ work: @Sendable (Arguments) async throws -> Void) async {
  do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    // Ends the process, whatever it is doing then.
    signal(SIGALRM) { _ in _exit(3) }
    alarm(UInt32(arguments.limit))
    var files = rlimit()
    getrlimit(noFiles, &files)
    files.rlim_cur = min(files.rlim_max, 65536)
    setrlimit(noFiles, &files)
    try await work(arguments)
  } catch {
    let line = "bench: \(error)\n"
    write(2, line, line.utf8.count)
    exit(error is Arguments.Unable ? 4 : 1)
  }
}

#if canImport(Glibc)
private let noFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let noFiles = RLIMIT_NOFILE
#endif

/// What so many exchanges that stand still cost: the memory of each, and the processor's time in two seconds.
public func idleFigures(of count: Int, since before: Int) async throws -> Outcome {
  let resident = Usage.residentKiB
  let start = Usage.now
  try await Task.sleep(for: .seconds(2))
  let end = Usage.now
  let used = end.user + end.system - start.user - start.system
  return Outcome(
    bytes: 0, seconds: 2, more: ["kib_each": Double(resident - before) / Double(count), "idle_cpu_share": used / 2])
}
