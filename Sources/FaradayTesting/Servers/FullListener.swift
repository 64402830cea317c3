#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A port on 127.0.0.1 with a full accept queue, so that connecting to it never completes (for connect timeouts).
package final class FullListener: Sendable {
  /// The port's number.
  package let port: Int
  private let descriptors: [Int32]

  /// Binds a port and fills its queue. Throws ``SocketError`` if it cannot be bound.
  ///
  /// - Parameter port: the port to bind; 0 takes a free one.
  package init(port wanted: UInt16 = 0) throws {
    let listener = Self.makeSocket()
    guard listener >= 0 else { throw SocketError.last("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(wanted.bigEndian)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else {
      let error = SocketError.last("listen")
      closeDescriptor(listener)
      throw error
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    // The kernel queues one connection more than the backlog. Further ones stay in SYN_SENT.
    descriptors =
      [listener]
      + (0..<4).map { _ in
        let client = Self.makeSocket()
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
        }
        return client
      }
  }

  deinit { descriptors.forEach(closeDescriptor) }

  /// A server on ::1 whose responses are empty, and the same port on 127.0.0.1, where connecting never completes.
  package static func besideServer() throws -> (server: RawServer, silent: FullListener) {
    let pair = try RawServer.paired(on: .ipv6) { connection in
      while true {
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    } with: {
      try FullListener(port: UInt16($0))
    }
    return (pair.server, pair.other)
  }

  /// Not inherited by the programs that this process starts.
  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
