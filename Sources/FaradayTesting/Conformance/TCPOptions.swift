#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The options of a TCP socket of this process.
struct TCPOptions: Equatable {
  var noDelay: Bool
  /// Seconds; nil without keep-alive.
  var keepAlive: Int?
  /// Milliseconds; 0 is the system's default.
  var userTimeout = 0

  init(noDelay: Bool, keepAlive: Int?, userTimeout: Int = 0) {
    self.noDelay = noDelay
    self.keepAlive = keepAlive
    self.userTimeout = userTimeout
  }

  /// The options of the socket that connects these ports; nil if no socket does. The local port does not identify a socket: the
  /// kernel uses it for several connections to different servers.
  init?(localPort: Int, remotePort: Int) {
    let found = (0..<Int32(2048)).first {
      Self.port($0, getsockname) == localPort && Self.port($0, getpeername) == remotePort
    }
    guard let found else { return nil }
    noDelay = Self.option(found, Int32(IPPROTO_TCP), TCP_NODELAY) != 0
    #if canImport(Darwin)
    let idle = TCP_KEEPALIVE
    #else
    let idle = TCP_KEEPIDLE
    userTimeout = Int(Self.option(found, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT))
    #endif
    keepAlive = Self.option(found, SOL_SOCKET, SO_KEEPALIVE) == 0 ? nil : Int(Self.option(found, Int32(IPPROTO_TCP), idle))
  }

  private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : -1
  }

  /// The port from `getsockname` or `getpeername`; nil if the descriptor is not an IPv4 socket.
  private static func port(
    _ descriptor: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
    }
    guard result == 0, name.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: name.sin_port))
  }
}
