#if canImport(Glibc)
import Glibc
let thisProcess = Int32(RUSAGE_SELF.rawValue)
#else
import Darwin
let thisProcess = RUSAGE_SELF
#endif

// Prints one line of JSON with the C program's keys; everything else goes to standard error.

func usage() -> (user: Double, system: Double, switches: Int, peakKiB: Int) {
  var usage = rusage()
  getrusage(thisProcess, &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return (seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_nvcsw, usage.ru_maxrss)
}

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  // Ends the process, whatever it is doing then.
  signal(SIGALRM) { _ in _exit(3) }
  alarm(UInt32(arguments.limit))
  if arguments.mode == "json" {
    try JSONModes.compare(rounds: arguments.requests)
    exit(0)
  }
  if arguments.mode == "json-deep" {
    try JSONModes.deep(arguments.url, depth: arguments.requests)
    exit(0)
  }
  if arguments.mode == "beside" {
    try await BesideMode.compare(arguments)
    exit(0)
  }
  let modes = try Modes(arguments)
  let before = usage()
  let clock = ContinuousClock()
  var bytes = 0
  var inner: Duration?
  let outer = try await clock.measure { (bytes, inner) = try await modes.run() }
  let after = usage()
  let parts = (inner ?? outer).components
  let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  print(
    "{\"mode\":\"\(arguments.mode)\",\"implementation\":\"faraday\",\"requests\":\(arguments.requests),\"bytes\":\(bytes)"
      + ",\"seconds\":\(seconds),\"peak_rss_kib\":\(after.peakKiB),\"user_seconds\":\(after.user - before.user)"
      + ",\"system_seconds\":\(after.system - before.system),\"voluntary_switches\":\(after.switches - before.switches)}")
} catch {
  let line = "bench: \(error)\n"
  write(2, line, line.utf8.count)
  exit(1)
}
