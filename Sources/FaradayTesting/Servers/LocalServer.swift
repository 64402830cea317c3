private import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that answers in many ways a client has to cope with. Every connection has a thread.
///
/// Each route takes every method; the body of a request is read before it is answered, unless the route says otherwise. A
/// HEAD request gets the head that the route would send. What stands in a path or query is percent-decoded; a value that
/// makes no sense is answered with 400, like a malformed request, and the connection closed. Otherwise connections stay open
/// as the request's version and `Connection` say.
///
/// ``routes`` lists what it answers, and so does `/`. Anything else is a 404. For any thread. Stops when the last reference to it goes.
public final class LocalServer: Sendable {
  private let acceptor: Acceptor
  private let requests: Counter

  /// Listens on the port; 0 takes a free one. `log` gets a line after each request, on the connection's thread. Throws a
  /// `SocketError` if it cannot listen.
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

  /// How many well-formed request heads came so far.
  public var requestCount: Int { requests.count }

  /// How many connections were accepted so far.
  public var connectionCount: Int { acceptor.acceptedCount }

  /// How many connections are open.
  public var openConnectionCount: Int { acceptor.openCount }

  /// Stops listening and closes all connections. Can be called again.
  public func stop() { acceptor.stop() }

  /// What `/bytes` sends at this offset, from 0. Repeats after 64 KiB.
  public static func patternByte(at offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: offset &* 31 &+ (offset >> 8)) }

  final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.add(1, ordering: .relaxed) }
  }
}
