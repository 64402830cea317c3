import FaradayTesting
import Glibc
import TestServers

/// A server in a process of its own, so that what this process measures of itself is the client's.
struct Child {
  let url: String
  private let process: ChildProcess

  /// Starts this program with other words: a `LocalServer`, if none are given.
  init(_ words: [String] = ["serve"]) throws {
    process = try ChildProcess("/proc/self/exe", words)
    url = String(decoding: process.read(), as: UTF8.self) + "/"
  }

  /// Serves until the standard input ends, which it does with the process that started this one.
  static func serve() throws {
    let server = try LocalServer()
    let url = server.url
    write(1, url, url.utf8.count)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    server.stop()
  }
}
