private import Synchronization

/// An HTTP/1.1 test server on 127.0.0.1 with many kinds of responses. Each connection has a thread.
///
/// Every route accepts all methods; the request's body is read before the response, unless the route differs. HEAD gets the
/// head that the route would send. Path and query are percent-decoded; an invalid value, like a malformed request, gets 400,
/// and the connection is closed. Otherwise connections are kept alive by the request's version and `Connection` field.
///
/// ``routes`` and the path `/` list the responses. Other paths are a 404. Thread-safe. It stops when its last reference is
/// released.
public final class LocalServer: Sendable {
  private let acceptor: Acceptor
  private let requests: Counter

  /// Starts listening on the port; 0, the default, selects a free port. `log` is called with a line after each request, on the
  /// connection's thread. Throws ``SocketError`` if it cannot listen.
  public init(port: Int = 0, log: (@Sendable (String) -> Void)? = nil) throws {
    let requests = Counter()
    self.requests = requests
    acceptor = try Acceptor(port: port) { socket, index in
      Session(socket, index: index, requests: requests, log: log).run()
    }
  }

  deinit { stop() }

  /// The port it listens on.
  public var port: Int { acceptor.port }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  public var url: String { "http://\(Loopback.ipv4.urlHost):\(port)" }

  /// The number of well-formed request heads received so far.
  public var requestCount: Int { requests.count }

  /// The number of connections accepted so far.
  public var connectionCount: Int { acceptor.acceptedCount }

  /// The number of open connections.
  public var openConnectionCount: Int { acceptor.openCount }

  /// Stops listening and closes all connections. Can be called again.
  public func stop() { acceptor.stop() }

  /// The byte that `/bytes` sends at an offset, from 0. The pattern repeats after 64 KiB.
  public static func patternByte(at offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: offset &* 31 &+ (offset >> 8)) }

  final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.add(1, ordering: .relaxed) }
  }
}
