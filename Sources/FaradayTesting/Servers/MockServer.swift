public import FaradayCore
private import Synchronization

/// An HTTP/1.1 server on the loopback interface whose responses a test chooses, and which keeps the requests.
///
///     let server = try MockServer(.json(["id": 1]), .status(.serviceUnavailable), .text("ok").cut(after: 1))
///     let connection = try Connection(server.url, adapter: CurlAdapter())
///     #expect(try await connection.get("users/1").status == .ok)
///     #expect(server.recorded.map(\.line) == ["GET /users/1"])
///
/// The responses are sent in the order of the requests; with a closure instead, it makes each response. They are those of
/// ``MockAdapter``, so that a test can be moved from one to the other: bodies of any kind, trailers, informational responses,
/// pauses, and faults at each point. A request for which no response is left gets a 500 that says so, and ``verify()`` throws.
///
/// Each connection has a thread, and is kept alive. A request's body is read before its response, up to 64 MiB. The length and the
/// framing are those of the body: `Content-Length` and `Transfer-Encoding` of a response are ignored, but for HEAD. A client may
/// send a request again if its kept connection ends without a response. HTTP/2 is not supported. With a ``TestAuthority`` it is a
/// server over TLS. Thread-safe. It stops when its last reference is released.
public final class MockServer: Sendable {
  /// Makes the response to a request. An error that it throws closes the connection.
  public typealias Responder = @Sendable (RecordedRequest) async throws -> Response

  private struct State {
    var queue: [(response: Response, left: Int)] = []
    var recorded: [RecordedRequest] = []
    /// The first request for which no response was left.
    var unexpected: RecordedRequest?
  }

  /// What the threads of connections use; they do not keep the server alive.
  private final class Answers: Sendable {
    let state = Mutex(State())
    let respond: Responder?

    init(_ respond: Responder?) { self.respond = respond }

    func response(to request: RecordedRequest) async throws -> Response {
      let queued = state.withLock { state -> Response? in
        state.recorded.append(request)
        guard let next = state.queue.first else { return nil }
        if next.left > 1 { state.queue[0].left -= 1 } else { state.queue.removeFirst() }
        return next.response
      }
      if let queued { return queued }
      if let respond { return try await respond(request) }
      state.withLock { $0.unexpected = $0.unexpected ?? request }
      return .text("no response is left for \(request.line)\n", status: .internalServerError)
    }
  }

  private let answers: Answers
  private let tasks: RunningTasks
  private let acceptor: Acceptor
  private let root: String

  /// Starts a server with a closure that makes each response. Queued responses go first; without a closure there are only these.
  ///
  /// - Parameters:
  ///   - address: the address to listen on, with a free port.
  ///   - authority: makes it a server over TLS, with a certificate of this authority.
  ///   - requiresClientCertificate: whether clients need a certificate of the same authority.
  ///
  /// Throws ``SocketError`` if it cannot listen, and ``MockError``.
  public convenience init(
    on address: Loopback = .ipv4, tls authority: TestAuthority? = nil, requiresClientCertificate: Bool = false,
    respond: Responder? = nil
  ) throws {
    try self.init(on: address, authority, requiresClientCertificate, Answers(respond))
  }

  /// Starts a server with a queue of responses, and over cleartext.
  public convenience init(_ first: Response, _ others: Response...) throws {
    try self.init(on: .ipv4, nil, false, Answers(nil))
    for response in [first] + others { enqueue(response) }
  }

  private init(
    on address: Loopback, _ authority: TestAuthority?, _ requiresClientCertificate: Bool, _ answers: Answers
  ) throws {
    self.answers = answers
    guard authority != nil || !requiresClientCertificate else {
      throw MockError(unavailable: "a server without an authority cannot require a client certificate")
    }
    let tls = try authority.map { try $0.server(requiresClientCertificate: requiresClientCertificate) }
    let scheme = tls == nil ? "http" : "https"
    let tasks = RunningTasks()
    self.tasks = tasks
    acceptor = try Acceptor(on: address) { socket, _ in
      guard let wire: any Wire = tls == nil ? socket : try? tls.map({ try TLSWire(socket, $0) }) else { return }
      let session = MockSession(socket, over: wire, scheme: scheme, tasks) { try await answers.response(to: $0) }
      // The client has closed the connection, or the server was stopped.
      try? session.run()
    }
    root = "\(scheme)://\(address.urlHost):\(acceptor.port)"
  }

  deinit { stop() }

  /// `http://127.0.0.1:PORT`, or `https:` with TLS, without a slash at the end.
  public var url: String { root }

  /// The number of connections accepted so far.
  public var connectionCount: Int { acceptor.acceptedCount }

  /// The requests so far, in the order of their arrival.
  public var recorded: [RecordedRequest] { answers.state.withLock { $0.recorded } }

  /// Adds responses to the queue, each `times` times.
  public func enqueue(_ responses: Response..., times: Int = 1) {
    answers.state.withLock { state in
      for response in responses where times > 0 { state.queue.append((response, times)) }
    }
  }

  /// Throws ``MockError`` if a request had no response, or if queued responses were not used.
  public func verify() throws {
    let state = answers.state.withLock { $0 }
    if let unexpected = state.unexpected { throw MockError(unexpected: unexpected.request) }
    if !state.queue.isEmpty {
      throw MockError(
        unused: state.queue.map {
          "a response with the status \($0.response.status.code)" + ($0.left > 1 ? ", \($0.left) times" : "")
        })
    }
  }

  /// Stops listening and closes all connections. Can be called again.
  public func stop() {
    tasks.stop()
    acceptor.stop()
  }
}
