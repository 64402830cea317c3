internal import CCurl
@_spi(Adapters) internal import FaradayCore
internal import Synchronization

/// One request from its submission to its end: the life cycle.
///
/// Holds the request's place in the engine, the task that waits for the response, and the timeouts. The data on the connection
/// belongs to its ``Exchange``, whose section "Reentrancy" states which code may run during a change.
///
/// The sending task creates the transfer and submits it to the engine. From then on only the engine's thread accesses it,
/// except for `let` values and ``isCancelled``.
// Safe to share: every `var` is written before the submission through the mailbox's lock, and after that only on the engine's
// thread.
final class Transfer: @unchecked Sendable, HasDeadline {
  /// The state of its life cycle.
  enum Life {
    /// Neither in the queue nor active: before the submission, or between leaving the queue and `activate`.
    case new
    /// In the request queue: the connection pool is exhausted.
    case queued(Admission<Transfer>.Place)
    /// Added to libcurl's multi handle; `slot` is its index in the engine's list. The place is nil once its connection has left
    /// the pool.
    case active(Admission<Transfer>.Place?, slot: Int)
    case finished
  }

  /// The result with which libcurl or the engine has ended the transfer.
  enum Outcome {
    case done(CURLcode)
    case failed(any Error)

    /// Whether libcurl has ended the transfer, or a timeout has. Otherwise the transfer was cancelled, rejected, or failed with
    /// its engine, which is independent of other requests.
    var hasTried: Bool {
      switch self {
      case .done: true
      case .failed(let error): (error as? TransportError)?.isTimeout ?? false
      }
    }
  }

  /// The proxy of a request. Indirect, because most requests have no proxy and a proxy is large.
  private indirect enum ProxyChoice {
    case direct
    case proxy(Proxy)
    case invalid(InvalidValueError)
  }

  /// Changed only before the submission, by ``use(_:)``; the exchange keeps the request without that change.
  @exclusivity(unchecked) private(set) var request: Request
  /// The options of the request, and its transport options: reading them here costs less than reading them in the request.
  /// `transport.map { $0.fields.… }` reads one of them; `transport?.fields.…` would copy all of them.
  @exclusivity(unchecked) private(set) var options: Options
  @exclusivity(unchecked) private(set) var transport: UncommonOptions?
  let target: Target
  let origin: KnownOrigin
  let settings: TransferSettings
  /// The validated header fields, except fields that frame the body.
  let fields: [HTTPField]
  private let proxyChoice: ProxyChoice
  /// The priority of the waiting task.
  private let priority = Task.currentPriority
  private let cancellation = Atomic<Bool>(false)

  // No run-time checks for exclusive access, because these are used for each line, piece and turn: see "Reentrancy".

  /// Whether the connection is to switch to another protocol: ``Options/upgrade``.
  let switchesProtocol: Bool
  /// Whether HTTP/2 may be negotiated.
  private(set) var mayBeHTTP2: Bool
  /// The options that distinguish the transfer's connection from others; nil for the defaults. Created when first needed.
  private(set) lazy var connectionOptions = makeConnectionOptions(withEarlyData: maySendEarlyData)
  /// The maximum number of connections to the origin on this engine; nil for the configured limit.
  private(set) var connectionLimit: Int?
  @exclusivity(unchecked) private var waiting: UnsafeContinuation<Received, any Error>?
  /// Whether the waiting task runs on the engine's thread (task executor), so that resuming it needs no thread switch.
  private var isSentFromEngine = false
  @exclusivity(unchecked) private var life = Life.new
  /// The reservation or connection that the transfer holds until it has a connection.
  private var hold: Sockets.Hold?
  @exclusivity(unchecked) private var isTouched = false

  @exclusivity(unchecked) private(set) var deadline = Int64.max
  /// Set by the heap only.
  var deadlineIndex = -1
  let exchange: Exchange

  init(_ checked: CheckedRequest, _ settings: TransferSettings) {
    request = checked.request
    options = checked.request.options
    let transport = options.transport
    self.transport = transport
    let upgrade = transport.flatMap { $0.fields.upgrade }
    switchesProtocol = upgrade != nil
    // To libcurl it is an upload, whose bytes follow after the switch.
    if let upgrade { request.body = upgrade.body }
    target = checked.target
    origin = settings.origins[checked.target.origin]
    fields = checked.fields
    self.settings = settings
    do {
      let proxy = try settings.proxies.proxy(of: checked.request, to: checked.target)
      proxyChoice = proxy.map(ProxyChoice.proxy) ?? .direct
    } catch {
      proxyChoice = .invalid(error)
    }
    mayBeHTTP2 = checked.request.mayBeHTTP2(to: origin, isSecure: checked.target.isSecure)
    exchange = Exchange(request, settings)
    exchange.belongs(to: self)
  }

  deinit { exchange.close() }

  /// Whether the request is sent without a proxy. Cheaper than testing ``proxy``, which is copied.
  var isDirect: Bool { if case .proxy = proxyChoice { false } else { true } }

  /// The proxy; nil for none.
  var proxy: Proxy? { if case .proxy(let proxy) = proxyChoice { proxy } else { nil } }

  /// Whether the waiting task was cancelled. Thread-safe.
  var isCancelled: Bool {
    get { cancellation.load(ordering: .relaxed) }
    set { cancellation.store(newValue, ordering: .relaxed) }
  }

  // MARK: before the submission

  /// Sets the continuation of the task that waits for the response.
  func setWaiting(_ continuation: UnsafeContinuation<Received, any Error>, isOnEngine: Bool = false) {
    waiting = continuation
    isSentFromEngine = isOnEngine
    if isOnEngine { exchange.noteReaderOnEngine() }
  }

  func limitConnections(to limit: Int) { connectionLimit = limit }

  /// Sets the addresses that the adapter's resolver has returned for the transfer's host.
  func use(_ addresses: [String]) {
    // For every host: the request has no override for this host, and the host may have several spellings.
    options.network.hostOverrides.append(HostOverride("*", addresses: addresses))
    transport = options.transport
    request.options = options
  }

  /// Creates and configures the easy handle, if there is none. A queued transfer has none, because a handle takes as much
  /// memory as everything else.
  // Not inlined: its temporaries would be in the frame of each waiting request.
  @inline(never)
  func prepare() throws {
    guard exchange.attempt == nil else { return }
    // The response to another request may have shown in the meantime that HTTP/2 is useless for this origin.
    if mayBeHTTP2, origin.lacksLengths, !request.mayBeHTTP2(to: origin, isSecure: target.isSecure) { mayBeHTTP2 = false }
    switch proxyChoice {
    case .direct: break
    case .proxy(let proxy): try proxy.check(for: request)
    case .invalid(let problem):
      throw exchange.error(.proxyFailed, problem.description, phase: .building, underlying: problem)
    }
    let unixSocket = transport.flatMap { $0.fields.network.unixSocket }
    if let refused = addressRules.refusal(ofProxy: proxy, unixSocket: unixSocket) { throw exchange.forbidden(refused) }
    if verifier != nil, proxy?.scheme == .https {
      throw exchange.error(.unsupported, "CurlAdapter has no `options.tls.verifier` through an https proxy", phase: .building)
    }
    try exchange.beginAttempt()
  }

  /// Fails a transfer that was never submitted to an engine.
  func fail(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase? = nil) {
    end(exchange.error(code, message, phase: phase))
  }

  /// Ends a transfer that was never submitted to an engine.
  func end(_ error: any Error) {
    _ = finish(.failed(error))
    life = .finished
    exchange.close()
  }

  // MARK: the life cycle

  var isActive: Bool { if case .active = life { true } else { false } }
  var isQueued: Bool { if case .queued = life { true } else { false } }
  var hasFinished: Bool { if case .finished = life { true } else { false } }
  /// Whether the engine has not received the transfer yet.
  var isNew: Bool { if case .new = life { true } else { false } }

  /// The transfer's place in the request queue or among the active transfers; nil before the submission and after the end.
  var place: Admission<Transfer>.Place? {
    switch life {
    case .queued(let place): place
    case .active(let place, _): place
    case .new, .finished: nil
    }
  }

  func enterQueue(at place: Admission<Transfer>.Place, now: Int64) {
    life = .queued(place)
    exchange.noteQueued(at: now)
  }

  func leaveQueue() { life = .new }

  /// Notes that the transfer starts; ``open()`` follows when it was added to libcurl.
  func activate(at place: Admission<Transfer>.Place, slot: Int, now: Int64) {
    life = .active(place, slot: slot)
    exchange.activate(at: now)
  }

  /// Notes that the transfer's index in the engine's list has changed.
  func move(to slot: Int) {
    if case .active(let place, _) = life { life = .active(place, slot: slot) }
  }

  /// Gives up the transfer's place among those with a connection of the pool. Returns the place; nil if it has none.
  func leavePlace() -> Admission<Transfer>.Place? {
    guard case .active(let place, let slot) = life else { return nil }
    life = .active(nil, slot: slot)
    return place
  }

  /// Notes that the transfer has finished. Returns its previous state.
  func endLife() -> Life {
    defer { life = .finished }
    return life
  }

  /// Frees the easy handle and stops the body's source, after the transfer has left the engine.
  func leave() {
    exchange.close()
  }

  /// Marks the transfer as one with data to deliver. Returns whether it was unmarked before.
  func touch() -> Bool {
    defer { isTouched = true }
    return !isTouched
  }

  func untouch() { isTouched = false }

  /// Begins another attempt. The old easy handle must have been removed from its multi handle. Returns false if the body is not
  /// replayable.
  func restart(_ reason: Attempt.Restart) throws -> Bool {
    guard exchange.endAttempt(for: reason) else { return false }
    if reason == .overHTTP1 { mayBeHTTP2 = false }
    if reason == .withoutEarlyData { connectionOptions = makeConnectionOptions(withEarlyData: false) }
    try prepare()
    exchange.engine?.updateDeadline(of: self)
    return true
  }

  private func makeConnectionOptions(withEarlyData: Bool) -> ConnectionOptions? {
    guard transport != nil || !isDirect || mayBeHTTP3 else { return nil }
    let make = { [self] in
      ConnectionOptions(of: request, to: target, through: proxy, mayBeHTTP3: mayBeHTTP3, withEarlyData: withEarlyData)
    }
    guard isDirect, let transport else { return make() }
    let key = ConnectionOptions.Key(transport: transport.number, mayBeHTTP3: mayBeHTTP3, withEarlyData: withEarlyData)
    return origin.connectionOptions(key, make: make)
  }

  // MARK: reservations

  /// Reserves an idle connection that the transfer can use. Returns false if there is none.
  func reserveConnection(of sockets: Sockets) -> Bool {
    if case .reservation = hold { return true }
    guard let reservation = sockets.reserve(for: target.origin, connectionOptions) else { return false }
    hold = reservation
    return true
  }

  /// Counts a connection that is about to be opened for the transfer.
  func holdNewConnection(of sockets: Sockets, limit: Int, total: Int) {
    if case .connecting = hold { return }
    release(to: sockets)
    hold = sockets.connect(to: target.origin, limit: limit, total: total)
  }

  /// Releases the reservation or the counted connection: the transfer has a connection, or needs none.
  func release(to sockets: Sockets) {
    if let hold { sockets.release(hold) }
    hold = nil
  }

  // MARK: timeouts

  /// Sets ``deadline`` to the earliest time at which the engine must call ``expire(at:now:)``.
  func updateDeadline() {
    let timeouts = options.timeouts
    switch life {
    case .active:
      let phase = timeouts.hasPhases ? phaseDeadline(timeouts, Clock.now).at : .max
      deadline = min(exchange.nextDeadline, phase, exchange.activity.deadline(timeouts))
    case .queued: deadline = exchange.activity.queueDeadline(timeouts)
    case .new, .finished: deadline = exchange.activity.totalDeadline(timeouts)
    }
  }

  /// Handles all deadlines up to the time at which the engine has woken. Returns the outcome if the transfer must end.
  ///
  /// - Parameter now: the time at which the last caller code has returned, if that is later.
  func expire(at time: Int64, now: Int64) -> Outcome? {
    if let outcome = exchange.expire(at: time, now: now) { return outcome }
    updateDeadline()
    guard deadline <= time, let error = timeout(at: time) else { return nil }
    return .failed(error)
  }

  private func phaseDeadline(_ timeouts: Timeouts, _ now: Int64) -> PhaseDeadline {
    PhaseDeadline(
      timeouts, of: exchange.attempt, activated: exchange.activity.activated, awaitsFirstByte: exchange.awaitsFirstByte,
      isSecure: target.isSecure, in: exchange.engine?.sockets, now: now)
  }

  /// The error of an expired timeout; nil if no timeout has expired.
  private func timeout(at now: Int64) -> TransportError? {
    let timeouts = options.timeouts
    if let total = timeouts.total, exchange.activity.hasTotalExpired(timeouts, at: now) {
      return exchange.error(.totalTimeout, "the exchange took longer than \(total)")
    }
    if isActive, timeouts.hasPhases {
      let next = phaseDeadline(timeouts, now)
      if next.at <= now, let code = next.code { return exchange.error(code, next.message) }
    }
    if isQueued, let queue = timeouts.queue, exchange.activity.hasQueueExpired(queue, at: now) {
      return exchange.error(.queueTimeout, "the request waited longer than \(queue) for a free connection")
    }
    if isActive, let idle = timeouts.idle, exchange.activity.isIdle(for: idle, at: now) {
      return exchange.error(.idleTimeout, "no byte was sent or received for \(idle)")
    }
    return nil
  }

  // MARK: the end

  /// Resumes the waiting task and ends the stream. Returns whether the transfer has succeeded. Called exactly once, on the
  /// engine's thread.
  ///
  /// A complete head is delivered even if the body has failed; reading the body then throws.
  func finish(_ outcome: Outcome) -> Bool {
    exchange.settle(outcome)
    do {
      try exchange.check(outcome)
    } catch {
      if !(error is CancellationError) {
        exchange.endBuffering()
        deliverHead()
      }
      exchange.report(.end, error: error)
      exchange.handle?.counters.ended(error)
      exchange.fail(error)
      waiting?.resume(throwing: error)
      waiting = nil
      return false
    }
    exchange.reportUpload()
    let metrics = exchange.metrics()
    deliverHead()
    exchange.report(.end)
    exchange.handle?.counters.ended(nil)
    exchange.end(metrics)
    guard let waiting else { return true }
    self.waiting = nil
    let received = exchange.wholeResponse(metrics)
    if let engine = exchange.engine, !isSentFromEngine {
      engine.complete(Completed(waiting: waiting, received: received, priority: priority))
    } else {
      waiting.resume(returning: received)
    }
    return true
  }

  /// Whether no part of the response was delivered.
  var isAwaited: Bool { waiting != nil }

  /// Resumes the waiting task with the head and the streamed body, if there is one.
  func deliverHead() {
    guard let waiting, let received = exchange.streamedResponse() else { return }
    self.waiting = nil
    waiting.resume(returning: received)
  }
}

/// The settings that all transfers of an adapter share, clamped to valid ranges.
final class TransferSettings: Sendable {
  let receiveBufferSize: Int
  let streamBufferSize: Int
  let requestsPerConnection: Int
  let reuse: ReuseLimits
  let proxies: ProxySettings
  let addressPolicy: AddressPolicy?
  let names: ResolvedNames?
  let onEvent: ExchangeEventHandler?
  let origins = KnownOrigins()
  let customize: (@Sendable (borrowing UnsafeTransfer, Request) throws -> Void)?

  init(_ configuration: CurlAdapter.Configuration) {
    receiveBufferSize = min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10)
    streamBufferSize = max(configuration.streamBufferSize, 64 << 10)
    requestsPerConnection = max(1, configuration.requestsPerConnection ?? .max)
    reuse = ReuseLimits(configuration)
    proxies = ProxySettings(configuration.proxy)
    addressPolicy = configuration.addressPolicy
    names = configuration.resolver.map(ResolvedNames.init)
    onEvent = configuration.onEvent
    customize = configuration.unsafeCustomize
  }
}

/// The idle timeout and maximum lifetime of connections.
struct ReuseLimits: Sendable {
  /// The idle timeout in whole seconds, as libcurl requires.
  let idle: Int
  let lifetime: Int?

  init(_ configuration: CurlAdapter.Configuration) {
    idle = Self.seconds(configuration.idleConnectionTimeout)
    lifetime = configuration.connectionLifetime.map(Self.seconds)
  }

  private static func seconds(_ duration: Duration) -> Int {
    Int(min(max((duration.nanoseconds + 999_999_999) / 1_000_000_000, 1), Int64(Int32.max)))
  }
}
