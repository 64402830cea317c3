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

  init(noDelay: Bool, keepAlive: Int?) {
    self.noDelay = noDelay
    self.keepAlive = keepAlive
  }

  /// Those of the connected socket with this local port; nil if there is none.
  init?(localPort: Int) {
    let found = (0..<Int32(2048)).first { Self.ports($0).map { $0.local == localPort && $0.isConnected } ?? false }
    guard let found else { return nil }
    noDelay = Self.option(found, Int32(IPPROTO_TCP), TCP_NODELAY) != 0
    #if canImport(Darwin)
    let idle = TCP_KEEPALIVE
    #else
    let idle = TCP_KEEPIDLE
    #endif
    keepAlive = Self.option(found, SOL_SOCKET, SO_KEEPALIVE) == 0 ? nil : Int(Self.option(found, Int32(IPPROTO_TCP), idle))
  }

  private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : -1
  }

  private static func ports(_ descriptor: Int32) -> (local: Int, isConnected: Bool)? {
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0, address.pointee.sa_family == sa_family_t(AF_INET) else {
          return nil
        }
        let port = pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        var peer = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isConnected = withUnsafeMutablePointer(to: &peer) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
        }
        return (port, isConnected)
      }
    }
  }
}
