// The compiler takes SOCK_STREAM from this module or from Glibc, by the order of the files.
import CCurl
@testable import FaradayCurl
import FaradayTesting
import Testing
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct SocketsTests {
  private func endpoints(_ port: Int32, to remote: Int32 = 80) -> Sockets.Endpoints {
    Sockets.Endpoints(remote: "127.0.0.1", remote, local: "127.0.0.1", port)
  }

  @Test func `among the sockets opened for a connection, the one with its port is found`() throws {
    let (first, second) = (try BoundSocket(), try BoundSocket())
    let sockets = Sockets()
    for socket in [first, second] { sockets.opened(socket.descriptor) }
    let candidates = [first.descriptor, second.descriptor]
    #expect(sockets.connected(candidates, endpoints(second.port)) == second.descriptor)
    #expect(sockets.connected(candidates, endpoints(first.port)) == first.descriptor)
    #expect(sockets.connected([], endpoints(first.port)) == nil)
  }

  @Test func `a connection is identified by its endpoints until it is closed`() throws {
    let socket = try BoundSocket()
    let sockets = Sockets()
    sockets.opened(socket.descriptor)
    _ = sockets.connected([socket.descriptor], endpoints(socket.port))
    #expect(sockets.descriptor(endpoints(socket.port)) == socket.descriptor)
    sockets.closed(socket.descriptor)
    #expect(sockets.descriptor(endpoints(socket.port)) == nil)
  }

  @Test func `the end of a request does not affect another connection with the same descriptor`() throws {
    let socket = try BoundSocket()
    // Over a Unix socket, the endpoints are equal too.
    for (old, new) in [(endpoints(socket.port), endpoints(socket.port, to: 81)), (endpoints(0), endpoints(0))] {
      let sockets = Sockets()
      func connect(_ endpoints: Sockets.Endpoints) -> Sockets.Connection {
        sockets.opened(socket.descriptor)
        _ = sockets.connected([socket.descriptor], endpoints)
        sockets.established(socket.descriptor, to: "origin")
        #expect(sockets.begin(socket.descriptor) == 1)
        return .init(descriptor: socket.descriptor, number: sockets.number(socket.descriptor))
      }
      let first = connect(old)
      sockets.closed(socket.descriptor)
      let second = connect(new)
      sockets.endRequest(on: first)
      #expect(sockets.isUsed(socket.descriptor) && !sockets.isOpen(first) && sockets.isOpen(second))
      sockets.endRequest(on: second)
      #expect(!sockets.isUsed(socket.descriptor))
    }
  }

  @Test func `the endpoint addresses are formatted as in URLs, once per connection`() throws {
    let socket = try BoundSocket()
    let sockets = Sockets()
    sockets.opened(socket.descriptor)
    let unknown = sockets.addresses(of: nil, remote: "::1", 80, local: "", 0)
    #expect(unknown.remote == "[::1]:80")
    #expect(unknown.local == nil)
    #expect(sockets.addresses(of: socket.descriptor, remote: "127.0.0.1", 80, local: "127.0.0.9", 4).remote == "127.0.0.1:80")
    #expect(sockets.addresses(of: socket.descriptor, remote: "127.0.0.2", 81, local: "", 0).local == "127.0.0.9:4")
    sockets.closed(socket.descriptor)
    sockets.opened(socket.descriptor)
    #expect(sockets.addresses(of: socket.descriptor, remote: "127.0.0.2", 81, local: "", 0).remote == "127.0.0.2:81")
  }
}

/// A socket with a port of its own on loopback.
private final class BoundSocket {
  let descriptor: Int32
  let port: Int32

  init() throws {
    #if os(Linux)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    try #require(descriptor >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    try #require(isBound)
    port = Int32(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }
}
