private import Dispatch
internal import FaradayCore
private import Synchronization

/// One connection of a ``MockServer``, and the requests on it, one after the other. For the connection's thread.
final class MockSession {
  typealias Responder = @Sendable (RecordedRequest) async throws -> Response

  /// The maximum size of a request's body.
  private static let maximumBodySize = 64 << 20
  private let socket: SocketConnection
  private let wire: any Wire
  private let scheme: String
  private let input: InputBuffer
  private let reply: ReplyWriter
  private let tasks: RunningTasks
  private let respond: Responder

  init(_ socket: SocketConnection, over wire: any Wire, scheme: String, _ tasks: RunningTasks, respond: @escaping Responder) {
    self.socket = socket
    self.wire = wire
    self.scheme = scheme
    self.tasks = tasks
    self.respond = respond
    input = InputBuffer(wire)
    reply = ReplyWriter(wire, server: nil)
  }

  /// Responds to requests until the connection ends.
  func run() throws {
    while try serveNext() {}
  }

  /// Serves one request. Returns false if the connection must be closed.
  private func serveNext() throws -> Bool {
    reply.reset()
    do {
      guard let head = try input.readHead(HTTPHead.init) else { return false }
      reply.prepare(for: head)
      let request = try read(head)
      guard try send(responseTo: request) else { return false }
    } catch let error as BadRequest {
      reply.closes = true
      if !reply.hasBegun { try reply.send(error.status, text: "\(error)\n") }
    }
    guard reply.closes else { return true }
    try wire.sendCloseNotify()
    try input.linger(on: socket)
    return false
  }

  private func read(_ head: HTTPHead) throws -> RecordedRequest {
    guard let method = HTTPRequest.Method(head.method),
      let url = URL(string: "\(scheme)://\(head.value("host") ?? "localhost")\(head.target.first == "/" ? head.target : "/")")
    else { throw BadRequest(400, "the method or the target is malformed") }
    let content = HTTPBody(head, wire, input)
    var body = Data()
    while try content.next({ body.append(contentsOf: $0) }) {
      guard body.count <= Self.maximumBodySize else {
        throw BadRequest(413, "the body has more than \(Self.maximumBodySize) bytes")
      }
    }
    var request = Request(method, url: url, body: .data(body))
    for (name, value) in head.namesAndValues { try? request.headers.append(name: name, value: value) }
    return RecordedRequest(request: request, body: body)
  }

  /// Sends the response as it is made. Returns false if a fault has ended the connection.
  private func send(responseTo request: RecordedRequest) throws -> Bool {
    let handover = Handover()
    let id = tasks.start { [respond] in
      do {
        let response = try await respond(request)
        try await response.behavior.delay?()
        await handover.put(.head(response))
        if request.method != .head, !response.status.hasNoBody {
          for try await piece in response.body {
            try Task.checkCancellation()
            await handover.put(.piece(piece))
          }
        }
        await handover.put(.end(response.trailers))
      } catch {
        await handover.put(.failure)
      }
    }
    defer {
      handover.close()
      tasks.cancel(id)
    }
    var fault: (kind: MockBehavior.Fault, count: Int?)?
    var sent = 0
    // The length that the head has stated.
    var length: Int?
    while true {
      switch handover.take() {
      case .head(let response):
        fault = response.behavior.fault
        let framing = Self.framing(of: response, to: request.method)
        if case .known(let count) = framing, request.method != .head { length = count }
        guard try begin(response, framing) else { return false }
      case .piece(let piece):
        let room = min((fault?.count).map { $0 - sent } ?? .max, length.map { $0 - sent } ?? .max)
        try piece.prefix(max(0, room)).withUnsafeBytes(reply.writePiece)
        try reply.flush()
        sent += piece.count
        if let fault, sent >= fault.count ?? .max { return try end(by: fault.kind) }
        if sent > length ?? .max { return false }
      case .end(let trailers):
        if let fault {
          try reply.flush()
          return try end(by: fault.kind)
        }
        try reply.finish(trailers: trailers.map { ($0.name.rawName, $0.value) })
        // A body that is shorter than it has said cannot be followed by another response.
        return length ?? sent == sent
      case .failure: return false
      }
    }
  }

  /// Writes what comes before the body. Returns false if the connection has ended.
  private func begin(_ response: Response, _ framing: ReplyWriter.Length) throws -> Bool {
    let behavior = response.behavior
    if behavior.failure != nil { return false }
    if let garbage = behavior.garbage {
      try Array(garbage.utf8).withUnsafeBytes(wire.send)
      return try end(by: .cut)
    }
    for interim in behavior.informational {
      try reply.interim(interim.status.code, interim.headerFields.map { ($0.name.rawName, $0.value) })
    }
    if let fault = behavior.fault, fault.count == nil { return try end(by: fault.kind) }
    if response.headers[.connection]?.lowercased() == "close" { reply.closes = true }
    reply.begin(
      response.status.code, response.headers.filter { !Self.ownFields.contains($0.name) }.map { ($0.name.rawName, $0.value) },
      framing)
    try reply.flush()
    return true
  }

  /// The fields that the reply writer sets.
  private static let ownFields: Set<HTTPField.Name> = [.contentLength, .transferEncoding, .connection]

  private static func framing(of response: Response, to method: HTTPRequest.Method) -> ReplyWriter.Length {
    if response.status.hasNoBody { return .none }
    // Trailers follow a chunked body only.
    guard response.trailers.isEmpty, let length = response.body.length else { return .unknown }
    let stated = method == .head ? response.headers[.contentLength].flatMap { Int($0) } : nil
    return .known(stated ?? Int(length))
  }

  private func end(by fault: MockBehavior.Fault) throws -> Bool {
    switch fault {
    case .cut: socket.halfClose()
    case .reset: socket.reset()
    case .stall: repeat { input.consume(input.unread.count) } while try input.fill()
    }
    return false
  }
}

extension HTTPResponse.Status {
  /// Whether a response with the status has no body (RFC 9110, section 6.4.1).
  fileprivate var hasNoBody: Bool { kind == .informational || code == 204 || code == 304 }
}

/// The tasks that make the responses of a server. They are cancelled when it stops.
final class RunningTasks: Sendable {
  private let state = Mutex((nextID: 0, tasks: [Int: Task<Void, Never>](), isStopped: false))

  func start(_ body: @escaping @Sendable () async -> Void) -> Int {
    state.withLock { state in
      state.nextID += 1
      let task = Task { await body() }
      if state.isStopped { task.cancel() }
      state.tasks[state.nextID] = task
      return state.nextID
    }
  }

  func cancel(_ id: Int) { state.withLock { $0.tasks.removeValue(forKey: id) }?.cancel() }

  func stop() {
    let tasks = state.withLock { state in
      state.isStopped = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }
}

/// Hands a response over from a task to the thread of a connection, part by part. Neither thread nor task is ahead of the other
/// by more than one part.
private final class Handover: Sendable {
  enum Part: Sendable {
    case head(Response)
    case piece(Data)
    case end(HTTPFields)
    case failure
  }

  private struct State {
    var part: Part?
    var producer: CheckedContinuation<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  /// Waits until the part is taken, or nobody wants it.
  func put(_ part: Part) async {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { (state.part, state.producer) = (part, continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() } else { arrivals.signal() }
    }
  }

  /// Blocks for the next part.
  func take() -> Part {
    arrivals.wait()
    let (part, producer) = state.withLock { state in
      defer { (state.part, state.producer) = (nil, nil) }
      return (state.part, state.producer)
    }
    producer?.resume()
    return part ?? .failure
  }

  func close() {
    let producer = state.withLock { state in
      state.isClosed = true
      defer { state.producer = nil }
      return state.producer
    }
    producer?.resume()
  }
}
