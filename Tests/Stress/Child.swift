import FaradayTesting
import Glibc

/// A LocalServer in a process of its own, so that what this process measures of itself is the client's.
struct Child {
  let url: String
  private let process: ChildProcess

  init() throws {
    process = try ChildProcess("/proc/self/exe", ["serve"])
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
