import Glibc

// Programs that a test is too small for: they run for seconds to minutes, print what they measured, and exit with 1 if it
// is not what it has to be. `stress MODE [NUMBER]`; Scripts/stress runs them all.

let words = CommandLine.arguments.dropFirst()
let number = words.dropFirst().first.flatMap { Int($0) }
let seed = words.dropFirst(2).first.flatMap { UInt64($0) }

do {
  switch words.first {
  case "serve": try Child.serve()
  case "storm": try await Storm(requests: number ?? 10_000).run()
  case "memory": try await Memory(gibibytes: number ?? 10).run()
  case "latency": try await Latency(chunks: number ?? 50).run()
  case "promises": try await Promises(count: number ?? 10_000).run()
  case "exit": try await Exit.run()
  case "soak": try await Soak(seconds: number ?? 1200, seed: seed ?? .random(in: 0..<1 << 32)).run()
  case "soak-server": try SoakServer.run(seed: UInt64(number ?? 0))
  default:
    throw Wrong(
      "usage: stress storm [REQUESTS] | memory [GIBIBYTES] | latency [CHUNKS] | promises [CHAINS] | exit | soak [SECONDS [SEED]]")
  }
} catch {
  print("FAILED: \(error)")
  exit(1)
}
