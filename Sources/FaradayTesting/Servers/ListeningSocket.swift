#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif
private import Synchronization

/// The loopback interface's addresses.
public enum Loopback: Sendable {
  /// 127.0.0.1
  case ipv4
  /// ::1
  case ipv6

  /// The host for a URL.
  public var urlHost: String { self == .ipv4 ? "127.0.0.1" : "[::1]" }
}

/// A listening TCP socket on the loopback interface. One thread accepts; any thread can `wake` it.
package final class ListeningSocket: Sendable {
  /// The port it is bound to.
  let port: Int
  private let descriptor: Int32
  private let wakeReader: Int32
  private let wakeWriter: Int32
  private let isClosed = Atomic(false)

  /// Binds, and listens with that backlog; nil only binds. Port 0 takes a free one.
  package convenience init(on address: Loopback = .ipv4, port: Int = 0, backlog: Int32? = 1024) throws {
    guard let wanted = UInt16(exactly: port) else { throw SocketError(call: "bind", code: EINVAL) }
    try self.init(family: address == .ipv4 ? AF_INET : AF_INET6) {
      setOption($0, SOL_SOCKET, SO_REUSEADDR, 1)
      return try bindSocket($0, address, wanted, backlog: backlog)
    }
  }

  /// Binds to a path, as a Unix domain socket, and listens. The port is 0.
  convenience init(unixSocket path: String) throws {
    try self.init(family: AF_UNIX) {
      try bindUnixSocket($0, path)
      return 0
    }
  }

  private init(family: Int32, bind: (Int32) throws -> Int) throws {
    let descriptor = try makeSocket(family)
    var wakePipe: [Int32] = [-1, -1]
    do {
      port = try bind(descriptor)
      guard pipe(&wakePipe) == 0 else { throw SocketError.last("pipe") }
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    // accept must not block if the peer has disconnected between poll and accept.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    wakePipe.forEach(keepPrivate)
    self.descriptor = descriptor
    (wakeReader, wakeWriter) = (wakePipe[0], wakePipe[1])
  }

  deinit { close() }

  /// Blocks for the next connection. Returns nil after `wake`.
  func accept() -> SocketConnection? {
    while true {
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&waits, 2, -1)
      if waits[1].revents != 0 { return nil }
      if waits[0].revents == 0 { continue }
      if let connected = acceptDescriptor(descriptor) { return SocketConnection(descriptor: connected) }
      // Out of descriptors or memory: the connection stays in the queue, and poll would return at once.
      if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { _ = poll(&waits[1], 1, 10) }
    }
  }

  /// Begins a connection to this socket, and returns its descriptor without waiting for an answer.
  func beginConnecting() throws -> Int32 {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return try withUnsafeMutablePointer(to: &name) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { throw SocketError.last("getsockname") }
        let client = try makeSocket(Int32(address.pointee.sa_family))
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        _ = connect(client, address, length)
        return client
      }
    }
  }

  /// Makes the blocked `accept`, and every later one, return nil.
  func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  /// Stops listening. For the thread that accepts, or when no thread does.
  package func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    [descriptor, wakeReader, wakeWriter].forEach(closeDescriptor)
  }
}

/// Not inherited by the programs that this process starts.
private func makeSocket(_ family: Int32) throws -> Int32 {
  #if canImport(Darwin)
  let descriptor = socket(family, SOCK_STREAM, 0)
  #else
  let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  guard descriptor >= 0 else { throw SocketError.last("socket") }
  keepPrivate(descriptor)
  return descriptor
}

private func bindSocket(_ descriptor: Int32, _ address: Loopback, _ port: UInt16, backlog: Int32?) throws -> Int {
  var storage = sockaddr_storage()
  var length: socklen_t
  switch address {
  case .ipv4:
    length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in.self) }
  case .ipv6:
    length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &name.sin6_addr) { $0[15] = 1 }
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in6.self) }
  }
  try withUnsafeMutablePointer(to: &storage) { pointer in
    try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
      guard bind(descriptor, name, length) == 0 else { throw SocketError.last("bind") }
      if let backlog, listen(descriptor, backlog) != 0 { throw SocketError.last("listen") }
      guard getsockname(descriptor, name, &length) == 0 else { throw SocketError.last("getsockname") }
    }
  }
  // The port is at the same place in both kinds of address.
  return withUnsafeBytes(of: storage) { Int(UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))) }
}

private func bindUnixSocket(_ descriptor: Int32, _ path: String) throws {
  var name = sockaddr_un()
  name.sun_family = sa_family_t(AF_UNIX)
  guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else { throw SocketError(call: "bind", code: ENAMETOOLONG) }
  withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
  try withUnsafePointer(to: &name) { pointer in
    try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      guard bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 else { throw SocketError.last("bind") }
      guard listen(descriptor, 1024) == 0 else { throw SocketError.last("listen") }
    }
  }
}

private func acceptDescriptor(_ descriptor: Int32) -> Int32? {
  let connected = accept(descriptor, nil, nil)
  guard connected >= 0 else { return nil }
  keepPrivate(connected)
  // On Darwin it inherits O_NONBLOCK.
  _ = fcntl(connected, F_SETFL, 0)
  return connected
}

/// Keeps the descriptor out of the programs that this process starts.
private func keepPrivate(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
