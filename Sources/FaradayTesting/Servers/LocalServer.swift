private import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that answers in many ways a client has to cope with. Every connection has a thread.
///
/// Each route takes every method; the body of a request is read before it is answered, unless the route says otherwise. A
/// HEAD request gets the head that the route would send. What stands in a path or query is percent-decoded; a value that
/// makes no sense is answered with 400, like a malformed request, and the connection closed. Otherwise connections stay open
/// as the request's version and `Connection` say.
///
/// - `/` — this list
/// - `/hello` — `Hello, world!`
/// - `/echo` — the request's body with its Content-Type, while it comes; chunked if its length was not known
/// - `/inspect` — JSON: `method`, `target`, `path`, `query` if there is one, `version`, `headers` (array of `[name, value]` in
///   order), `framing` (`none`, `length`, `chunked`), `bodyLength`, `bodyText` (not if longer than 64 KiB or not UTF-8),
///   `connection` and `request` (indices from 0; the request's is counted on its connection)
/// - `/status/{code}` — that status, 100 to 999, and a short text. 1xx, but for 101, is followed by a 200; 101, 204 and 304
///   have no body; 101 ends the connection
/// - `/drip?count=10&interval=100&size=16&length=0` — `count` pieces of `size` bytes, one every `interval` milliseconds and
///   each a chunk; with `length=1` not chunked. A piece of 40 bytes or more begins with its index, a space, the Unix time of
///   its sending in nanoseconds and a line feed; the rest is dots
/// - `/bytes/{count}` — so many bytes of `patternByte(at:)`; `?chunked=SIZE` in chunks of that size
/// - `/upload` — reads the body, then JSON: `bytes`, `chunks` (0 if not chunked), `framing`, and with `?hash=1` `fnv1a`
///   (64 bits, 16 hexadecimal digits). `?rate=N` reads N bytes a second with a small receive buffer, then closes
/// - `/headers?Name=value&...` — a response with these headers
/// - `/cookies` — `Set-Cookie` twice: `a=1` and `b=2`
/// - `/redirect/{n}` — 302 to `/redirect/{n-1}`; 200 at 0
/// - `/redirect-to?url=...&status=302` — a redirect to anywhere
/// - `/gzip?size=N` — N zero bytes (1 MiB if not given) as gzip, about a 1032nd of the size
/// - `/gzip/text` — `Hello, gzip!` as gzip
/// - `/early-hints` — 103 with a `Link`, then 200
/// - `/trailers` — `trailing`, chunked, with the trailer `X-Checksum: abc`
/// - `/stall` — no answer, until the client closes
/// - `/stall/body` — 10 of 100 bytes, then nothing until the client closes
/// - `/close` — a response after which the server closes
/// - `/reset` — RST instead of an answer; the body is not read
/// - `/early-response` — 413 at once; closes, and drops what comes of the body for at most 2 seconds
/// - `/basic-auth/{user}/{password}` — 200 with these credentials, else 401
///
/// Anything else is a 404. For any thread. Stops when the last reference to it goes.
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

extension LocalServer {
  /// The list of routes, as `/` tells it.
  static let routeList = """
    /                                       this list
    /hello                                  Hello, world!
    /echo                                   the request's body
    /inspect                                the request as JSON
    /status/{code}                          that status
    /drip?count=10&interval=100&size=16&length=0
                                            pieces, one every interval (ms); length=1: not chunked
    /bytes/{count}?chunked=SIZE             so many bytes of a pattern
    /upload?hash=1&rate=BYTES_PER_SECOND    reads the body and counts
    /headers?Name=value&...                 a response with these headers
    /cookies                                two Set-Cookie headers
    /redirect/{n}                           n redirects
    /redirect-to?url=...&status=302         a redirect to anywhere
    /gzip?size=N                            N zero bytes as gzip
    /gzip/text                              a text as gzip
    /early-hints                            103, then 200
    /trailers                               a chunked body with a trailer
    /stall                                  no answer
    /stall/body                             10 of 100 bytes
    /close                                  a response, then closes
    /reset                                  RST
    /early-response                         413 before the body is read
    /basic-auth/{user}/{password}           200 or 401

    """
}
