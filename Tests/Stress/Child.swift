import FaradayTesting
import Glibc

/// A LocalServer in a process of its own, so that what this process measures of itself is the client's. It ends when this
/// process does: its standard input is a pipe that nobody else holds.
final class Child {
  let url: String
  private let process: pid_t
  private let input: Int32

  init() throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw Wrong("no pipes") }
    for end in [toChild[1], fromChild[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("stress"), strdup("serve"), nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ) == 0 else { throw Wrong("no child") }
    close(toChild[0])
    close(fromChild[1])
    defer { close(fromChild[0]) }
    self.process = process
    input = toChild[1]
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(fromChild[0], &bytes, bytes.count)
    guard count > 0 else { throw Wrong("the child says nothing") }
    url = String(decoding: bytes[..<count], as: UTF8.self) + "/"
  }

  deinit {
    close(input)
    waitpid(process, nil, 0)
  }

  static func serve() throws {
    let server = try LocalServer()
    let url = server.url
    write(1, url, url.utf8.count)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    server.stop()
  }
}
