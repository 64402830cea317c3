public import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif
private import Synchronization

/// The error of a failed socket call, or of a connection that the peer closed too early.
public struct SocketError: FaradayError, Equatable {
  /// The call that failed, such as `recv`.
  public let call: String
  /// Its `errno`; 0 if the peer closed the connection before all requested bytes had arrived.
  public let code: Int32

  /// The call and the system's message.
  public var description: String {
    "\(call): \(code == 0 ? "the peer closed the connection" : String(cString: strerror(code)))"
  }

  package init(call: String, code: Int32) { (self.call, self.code) = (call, code) }

  static let endOfInput = SocketError(call: "recv", code: 0)
  static let closed = SocketError(call: "use", code: EBADF)

  static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }
}

/// A TCP connection with blocking calls. Thread-safe: `close` wakes threads that are blocked in other calls, and the descriptor is
/// closed only when the last of them has returned, so that no call uses a reused descriptor.
package final class SocketConnection: Sendable {
  private struct State {
    var users = 0
    var isClosed = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  /// Takes ownership of a connected descriptor.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
    setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  deinit { close() }

  /// Reads available bytes, blocking for the first; 0 at the end of the input.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try use { descriptor in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count >= 0 { return count }
        if errno != EINTR { throw SocketError.last("recv") }
      }
    }
  }

  /// Sends all bytes.
  package func send(_ bytes: UnsafeRawBufferPointer) throws {
    try use { descriptor in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = sendSome(descriptor, piece)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw SocketError.last("send")
        }
      }
    }
  }

  /// Blocks for this time, until there is input (if `orInput`), or until the connection is closed here or reset by the peer.
  func pause(nanoseconds: Int, orInput: Bool = false) throws {
    try use { descriptor in
      var wait = pollfd(fd: descriptor, events: orInput ? Int16(POLLIN) : 0, revents: 0)
      // Rounded up: a pause is never shorter than its argument.
      let milliseconds = (max(0, nanoseconds) + 999_999) / 1_000_000
      _ = poll(&wait, 1, Int32(clamping: milliseconds))
    }
    if state.withLock({ $0.isClosed }) { throw SocketError.closed }
  }

  /// Whether the peer has closed or reset the connection and everything it sent has been read.
  var isAtEnd: Bool {
    let count = try? use { descriptor in
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 1 : count
    }
    return (count ?? 0) <= 0
  }

  /// Requests a receive buffer of about this number of bytes from the kernel.
  func setReceiveBuffer(_ size: Int) {
    try? use { setOption($0, SOL_SOCKET, SO_RCVBUF, Int32(clamping: size)) }
  }

  /// Ends the output; the input stays open.
  func halfClose() {
    try? use { _ = shutdown($0, Int32(SHUT_WR)) }
  }

  /// Closes the connection, once; then every other call throws `SocketError.closed`.
  func close() { end { _ in } }

  /// Closes the connection with a RST, and discards unsent bytes.
  func reset() {
    end { descriptor in
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }

  private func end(_ prepare: (Int32) -> Void) {
    state.withLock {
      guard !$0.isClosed else { return }
      $0.isClosed = true
      prepare(descriptor)
      if $0.users == 0 {
        closeDescriptor(descriptor)
      } else {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  /// The address and port of the peer.
  var peer: (address: String, port: Int)? {
    try? use { descriptor in
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let code = withUnsafeMutablePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      guard code == 0, [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(storage.ss_family) else { throw SocketError.closed }
      let isIPv4 = storage.ss_family == sa_family_t(AF_INET)
      return withUnsafeBytes(of: storage) { bytes in
        let port = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        let address = IPAddress(bytes: isIPv4 ? Array(bytes[4..<8]) : Array(bytes[8..<24]))
        return (address.description, port)
      }
    }
  }

  private func use<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    try state.withLock {
      if $0.isClosed { throw SocketError.closed }
      $0.users += 1
    }
    defer {
      state.withLock {
        $0.users -= 1
        if $0.isClosed && $0.users == 0 { closeDescriptor(descriptor) }
      }
    }
    return try body(descriptor)
  }
}

func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
  var value = value
  setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// Sends without a SIGPIPE if the peer has disconnected; on Darwin that is an option of the socket.
private func sendSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
  send(descriptor, bytes.baseAddress, bytes.count, 0)
  #else
  send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}

/// `close`, by a name that a method called `close` does not hide.
func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
