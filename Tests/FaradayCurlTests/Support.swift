@_spi(Adapters) import FaradayCore
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Synchronization
import Testing

extension RawServer {
  /// A connection to it over an adapter of its own. The server then stays until the tests end: a test's last word about it
  /// is often that it made a connection.
  func connection(_ configuration: CurlAdapter.Configuration = .init()) throws -> Connection {
    Self.kept.append(self)
    return try Connection(url + "/", adapter: CurlAdapter(configuration))
  }

  private static let kept = Log<RawServer>()

  /// Answers the first request of every connection with these bytes, and closes.
  static func answering(_ bytes: [UInt8]) throws -> RawServer {
    try RawServer { connection in
      _ = try connection.readHead()
      try connection.send(bytes)
      connection.halfClose()
      connection.waitForClose()
    }
  }

  static func answering(_ text: String) throws -> RawServer { try answering(Array(text.utf8)) }
}

extension LocalServer {
  func connection(_ configuration: CurlAdapter.Configuration = .init()) throws -> Connection {
    try Connection(url + "/", adapter: CurlAdapter(configuration))
  }
}

/// The error of an exchange that must fail, and fail with a transport error.
func transportError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Response
) async throws -> TransportError {
  let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
    let response = try await body()
    _ = try await response.body.collect(upTo: .max)
  }
  return try #require(error as? TransportError, "it was \(String(describing: error))", sourceLocation: sourceLocation)
}

/// The port at the other end of a socket of this process; nil if the descriptor is not such a socket.
func peerPort(of descriptor: Int32) -> Int? {
  var address = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
  }
  return code == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
}
