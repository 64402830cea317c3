import Foundation

/// The programs and servers of all rows.
struct Setup {
  let programs: Programs
  let files: Files
  /// An nginx over plain HTTP/1.1, over TLS, and over TLS with connections that end after a response.
  let web, secure, closing: String
  /// A caddy that speaks HTTP/3; nil if there is none, or libcurl has no HTTP/3.
  let quic: String?
  /// A server whose responses stand still, and one that drops what it is sent.
  let stalls, sink: String
  /// A server of WebSockets.
  let webSockets: String
  let certificate: String
  /// A command in front of each program's: `taskset -c 0`.
  let prefix: [String]

  /// Builds the programs, starts the servers, and stops them when the work is done or a signal ends it.
  static func with(_ programs: Programs, isUnpinned: Bool, _ work: (Setup) throws -> Void) throws {
    guard Shell.has("nginx") else {
      throw Failed("nginx is missing: apt-get install nginx-light, or brew install nginx", status: 2)
    }
    guard Shell.has("openssl") else { throw Failed("openssl is missing", status: 2) }
    let separate = processors(isUnpinned: isUnpinned)
    let files = try Files()
    // Safe: a signal stops the servers while the other thread waits for one of them, or for a program under test.
    nonisolated(unsafe) let servers = Servers(files, raw: programs.raw, prefix: separate.servers)
    let end: @Sendable () -> Void = {
      servers.stop()
      files.remove()
    }
    let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        end()
        exit(130)
      }
      source.resume()
      return source
    }
    defer {
      signals.forEach { $0.cancel() }
      end()
    }
    try files.write()
    try work(servers.start(programs, prefix: separate.measured))
  }

  /// Servers have the last processor and the programs under test the others. Left alone, the scheduler puts a client now beside its
  /// server and now on top of it, which is worth more than any difference that this is to show.
  private static func processors(isUnpinned: Bool) -> (servers: [String], measured: [String]) {
    let last = ProcessInfo.processInfo.processorCount - 1
    guard !isUnpinned, last > 0, Shell.succeeds(["taskset", "-c", "\(last)", "true"]) else { return ([], []) }
    return (["taskset", "-c", "\(last)"], ["taskset", "-c", "0-\(last - 1)"])
  }
}
