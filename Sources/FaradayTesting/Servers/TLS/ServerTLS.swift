internal import FaradayCore
private import Synchronization
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The TLS settings of a `RawServer`: a certificate, and the protocol that it prefers.
package final class ServerTLS: @unchecked Sendable {
  // Safe to share: the pointer never changes, and OpenSSL locks what it points to.
  fileprivate let context: OpenSSL.Pointer
  fileprivate let library: OpenSSL
  fileprivate let chosen: [UInt8]

  /// - Parameters:
  ///   - folder: where `cert.pem` and `key.pem` are.
  ///   - chosen: the protocol that is selected if the client offers it.
  package convenience init(folder: String, choosing chosen: String) throws {
    try self.init(choosing: chosen) { library, context in
      library.useCertificate(context, folder + "/cert.pem") == 1 && library.useKey(context, folder + "/key.pem", 1) == 1
    }
  }

  /// - Parameter configure: sets certificate and key. Returns false if they cannot be used.
  init(choosing chosen: String, configure: (OpenSSL, OpenSSL.Pointer) -> Bool) throws {
    library = try OpenSSL.shared.get()
    self.chosen = Array(chosen.utf8)
    guard let context = library.newContext(library.serverMethod()) else { throw MockError(unavailable: "OpenSSL has no memory") }
    self.context = context
    guard configure(library, context) else { throw MockError(unavailable: "a server's certificate cannot be used") }
    library.setProtocolChoice(
      context,
      { _, output, outputCount, offered, count, argument in
        guard let output, let outputCount, let offered, let argument else { return 3 }
        let chosen = Unmanaged<ServerTLS>.fromOpaque(argument).takeUnretainedValue().chosen
        let names = UnsafeBufferPointer(start: offered, count: Int(count))
        var start = 0
        while start < names.count {
          let name = names[(start + 1)...].prefix(Int(names[start]))
          if name.elementsEqual(chosen) {
            output.pointee = offered + start + 1
            outputCount.pointee = names[start]
            return 0
          }
          start += 1 + name.count
        }
        // As if the server did not support ALPN.
        return 3
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { library.freeContext(context) }
}

extension RawServer {
  /// A server over TLS. The closure begins after the handshake.
  package convenience init(tls: ServerTLS, onConnection: @escaping @Sendable (RawConnection) throws -> Void) throws {
    try self.init(scheme: "https", wire: { try TLSWire($0, tls) }, onConnection: onConnection)
  }
}

/// TLS over a server's socket. Each call of `send` makes one write, and one record if the bytes are at most 16 KiB.
final class TLSWire: Wire, @unchecked Sendable {
  // Safe to share: the pointers never change, and what they point to is only used with `sessionLock` held.
  private let socket: SocketConnection
  private let tls: ServerTLS
  private let session: OpenSSL.Pointer
  private let input: OpenSSL.Pointer
  private let output: OpenSSL.Pointer
  private let sessionLock = Mutex(())
  /// Held while records are taken and sent, so that they leave in their order.
  private let outputLock = Mutex(())

  private var library: OpenSSL { tls.library }

  /// Does the handshake.
  init(_ socket: SocketConnection, _ tls: ServerTLS) throws {
    let library = tls.library
    guard let session = library.newSession(tls.context), let input = library.newBuffer(library.memoryMethod()),
      let output = library.newBuffer(library.memoryMethod())
    else { throw SocketError(call: "SSL_new", code: ENOMEM) }
    library.setBuffers(session, input, output)
    (self.socket, self.tls, self.session, self.input, self.output) = (socket, tls, session, input, output)
    while true {
      library.clearErrors()
      let code = library.accept(session)
      let error = library.error(session, code)
      try flush()
      if code == 1 { return }
      guard error == Self.wantsInput, try fill() else { throw SocketError(call: "SSL_accept", code: EPROTO) }
    }
  }

  deinit { library.freeSession(session) }

  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let (count, error) = sessionLock.withLock { _ in
        library.clearErrors()
        let count = library.read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        return (count, library.error(session, count))
      }
      if count > 0 { return Int(count) }
      try flush()
      if error == Self.isAtEnd { return 0 }
      guard error == Self.wantsInput else { throw SocketError(call: "SSL_read", code: EPROTO) }
      if try !fill() { return 0 }
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty else { return }
    let count = sessionLock.withLock { _ in
      library.clearErrors()
      return library.write(session, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    guard count == bytes.count else { throw SocketError(call: "SSL_write", code: EPROTO) }
    try flush()
  }

  /// Sends `close_notify`. The connection stays open.
  func sendCloseNotify() throws {
    sessionLock.withLock { _ in
      library.clearErrors()
      _ = library.shutdown(session)
    }
    try flush()
  }

  // The names of OpenSSL's errors.
  private static let wantsInput: Int32 = 2
  private static let isAtEnd: Int32 = 6

  private func fill() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 32 << 10)
    let count = try bytes.withUnsafeMutableBytes(socket.receive)
    guard count > 0 else { return false }
    sessionLock.withLock { _ in _ = library.writeBuffer(input, bytes, Int32(count)) }
    return true
  }

  private func flush() throws {
    try outputLock.withLock { _ in
      var records: [UInt8] = []
      sessionLock.withLock { _ in
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        while true {
          let count = piece.withUnsafeMutableBytes { library.readBuffer(output, $0.baseAddress, Int32($0.count)) }
          guard count > 0 else { return }
          records += piece.prefix(Int(count))
        }
      }
      if !records.isEmpty { try records.withUnsafeBytes(socket.send) }
    }
  }
}
