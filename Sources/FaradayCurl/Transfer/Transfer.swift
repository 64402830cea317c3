internal import CCurl
internal import FaradayCore
internal import Synchronization

/// One request while it is performed: its libcurl easy handle, the source of its body, the destination of the response's, and the
/// task that waits for it.
///
/// The sending task creates it and submits it to the engine; from then on only the engine's thread accesses it, except for `let`
/// values and ``isCancelled``.
///
/// **Sent again.** *Resending* is libcurl's: it sends a request again by itself when a kept connection dies before any byte of a
/// response; ``maySendNow()`` refuses that for a request that is not idempotent and may have arrived. A ``Restart`` is ours: the
/// attempt is dropped, and a new easy handle starts over, because the connection that libcurl chose must not be used, or because
/// the server answered 417 to `Expect`. Neither is a retry, which is a middleware's and a new request.
///
/// **Early responses.** A response may begin, and be complete, before the request's body has been sent. These states differ:
/// - ``responseRejectsBody``: the head is complete and the status is 300 or more. The body is of no use: a source that fails or
///   stalls from then on is no error.
/// - ``responseEndsUpload``: the same, or the server closes the connection. libcurl stops sending when the response is complete.
/// - ``isUploadStalled``: that, while the upload is paused because its source has no bytes. libcurl before 8.9 does not end a
///   paused transfer, so the engine resumes it whenever something has happened (``Engine/resumeStalledUploads()``).
/// - ``isStreamUploadObsolete``: the response of a stream of HTTP/2 or HTTP/3 is complete and the upload is not. libcurl would go on
///   sending; the engine ends the transfer.
/// - ``mayBeUploadingAfterResponse``: the response is complete, and the upload may not be. libcurl no longer reads from the
///   connection, so the engine checks every 50 ms whether the server has closed it (``isDoneWithoutUpload(at:)``).
// Safe to share: every `var` is written before it is submitted through the mailbox's lock, and after that only on the engine's
// thread. `request`, `continuation`, `isSentFromEngine`, `connectionLimit` and `handle` are set by the sender just before.
final class Transfer: @unchecked Sendable, HasDeadline {
  /// The state of its life cycle.
  enum Life {
    /// Not yet seen by the engine.
    case new
    /// In the request queue: the connection pool is exhausted.
    case queued(Admission<Transfer>.Place)
    /// Added to libcurl's multi handle; `slot` is its index in ``Engine/active``.
    case active(Admission<Transfer>.Place, slot: Int)
    case finished
  }

  /// The source of a request body that libcurl reads with callbacks.
  enum Source {
    /// There is no body, or a small one that libcurl has copied.
    case none
    case memory(Data)
    case stream(SendBuffer)
  }

  /// The proxy of a request. One reference: most requests have none, and it is large.
  private indirect enum ProxyChoice {
    case direct
    case proxy(Proxy)
    case invalid(InvalidProxy)
  }

  /// Changed only before it is submitted, by ``resolve(by:)``.
  @exclusivity(unchecked) var request: Request
  let target: Target
  let settings: Settings
  /// The validated header fields, without those that frame the body.
  let fields: [HTTPField]
  /// The proxy; nil for none.
  var proxy: Proxy? { if case .proxy(let proxy) = proxyChoice { proxy } else { nil } }
  private let proxyChoice: ProxyChoice
  /// Whether HTTP/2 may be negotiated.
  private(set) var mayBeHTTP2: Bool
  let submitted = Clock.now
  /// The priority of the waiting task.
  let priority = Task.currentPriority
  private let cancellation = Atomic<Bool>(false)

  // Without run-time checks for exclusive access, because they are used for each line, piece and turn: no code of the caller runs
  // while they are changed.

  // The engine's state. Times are nanoseconds of `Clock`.
  var continuation: UnsafeContinuation<Received, any Error>?
  /// Whether the waiting task runs on the engine's thread (task executor), so that resuming it needs no change of thread.
  var isSentFromEngine = false
  /// What tells its connection from others; nil for the defaults. Made when it is first needed.
  private(set) lazy var connectionOptions =
    request.options.transport == nil && proxy == nil && !mayBeHTTP3
    ? nil : ConnectionOptions(of: request, to: target, through: proxy, mayBeHTTP3: mayBeHTTP3)
  /// What it holds until it has a connection.
  var hold: Sockets.Hold?
  /// The engine's share of the connections to its origin; nil if it has them all.
  var connectionLimit: Int?
  var handle: EngineHandle?
  var engine: Engine?
  @exclusivity(unchecked) var life = Life.new
  @exclusivity(unchecked) var isTouched = false
  @exclusivity(unchecked) var deadline = Int64.max
  var deadlineIndex = -1
  var activated: Int64 = 0
  /// When libcurl last sent or received bytes for it, for the idle timeout.
  @exclusivity(unchecked) var lastActivity: Int64 = 0
  /// The activity that libcurl does not report.
  var wire = WireActivity()
  /// When to check again whether the server has closed the connection: see ``mayBeUploadingAfterResponse``.
  var nextServerCheck = Int64.max
  /// Bytes received since the engine last checked the length of its turn.
  var bytesThisTurn = 0
  /// The error it must end with, noted in a callback; it takes precedence over libcurl's.
  @exclusivity(unchecked) var failure: (any Error)?

  /// Its number in events; 0 without them.
  let number: Int
  private static let numbers = Atomic<Int>(0)
  /// The time of the last event.
  var lastEvent: Int64 = 0

  // Attempts: more than one if the transfer was restarted.
  /// Why the current attempt must be followed by another.
  @exclusivity(unchecked) var pendingRestart: Restart?
  /// Why there have been other attempts.
  var pastRestarts: Set<Restart> = []
  @exclusivity(unchecked) var attempt = Attempt()

  // Receiving.
  /// Whether the head is a challenge (401, 407) that libcurl may answer by itself, with ``Authentication`` or that of the proxy.
  @exclusivity(unchecked) var isChallenge = false
  /// The lines of a head, for ``Options/onRawHead``.
  @exclusivity(unchecked) var rawHead = Data()
  @exclusivity(unchecked) var parser: ResponseParser
  @exclusivity(unchecked) var firstByte: Int64 = 0
  @exclusivity(unchecked) var received: Int64 = 0
  /// The body of a response that may be small, so that it is returned together with its head. Nil otherwise.
  @exclusivity(unchecked) var bufferedBody: Data?
  /// The stream of any other body.
  @exclusivity(unchecked) var stream: ResponseStream?
  /// When the first byte arrived that was not flushed to the reader.
  var coalescingSince: Int64 = 0
  /// When receiving goes on after the rate limit has paused it.
  var resumeAt = Int64.max
  /// When the head is delivered even if a small body is not complete.
  var bufferingDeadline = Int64.max
  @exclusivity(unchecked) var receiving = Receiving.flowing

  // Sending. `sent` counts bytes of the body, `reported` those that `onUploadProgress` knows of.
  @exclusivity(unchecked) var source = Source.none
  var producer: Task<Void, Never>?
  var sent: Int64 = 0
  var reported: Int64 = 0
  @exclusivity(unchecked) var isSendPaused = false

  private var easyPointer: UnsafeMutableRawPointer?
  /// The names of fields that libcurl would add, and must not.
  var omittedFields: [String] = []
  /// The lists that libcurl has, which must live as long as the handle.
  private var lists: UnsafeMutablePointer<faraday_lists>?
  private(set) var errorText: UnsafeMutablePointer<CChar>?

  init(_ checked: CheckedRequest, _ settings: Settings) {
    request = checked.request
    target = checked.target
    fields = checked.fields
    self.settings = settings
    number = settings.onEvent == nil ? 0 : Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
    lastEvent = submitted
    do {
      let proxy = try settings.proxies.proxy(of: checked.request, to: checked.target)
      proxyChoice = proxy.map(ProxyChoice.proxy) ?? .direct
    } catch {
      proxyChoice = .invalid(error)
    }
    mayBeHTTP2 = checked.request.mayBeHTTP2(to: checked.target, settings)
    parser = ResponseParser(to: request.method, request.headers)
    if let data = request.body.data {
      if data.count > Self.smallBody { source = .memory(data) }
    } else {
      source = .stream(SendBuffer(length: request.body.length))
    }
  }

  deinit { dispose() }

  var isActive: Bool { if case .active = life { true } else { false } }
  var isQueued: Bool { if case .queued = life { true } else { false } }
  var hasFinished: Bool { if case .finished = life { true } else { false } }

  /// Its place in the request queue, or among those that have left it; nil before it is submitted and after it has ended.
  var place: Admission<Transfer>.Place? {
    switch life {
    case .queued(let place), .active(let place, _): place
    case .new, .finished: nil
    }
  }

  /// The easy handle; nil before it is needed, and once the transfer has finished.
  var easy: EasyHandle? { easyPointer.map { EasyHandle(pointer: $0) } }

  /// Whether the waiting task was cancelled. Thread-safe.
  var isCancelled: Bool {
    get { cancellation.load(ordering: .relaxed) }
    set { cancellation.store(newValue, ordering: .relaxed) }
  }

  // MARK: the easy handle

  /// Creates and configures the easy handle, if there is none. A queued transfer has none, because a handle takes as much memory as
  /// all the rest. Handles are not reused for other requests: `curl_easy_reset` keeps too much state.
  // Not inlined: its temporaries would be in the frame of each request that waits.
  @inline(never)
  func prepare() throws {
    guard easyPointer == nil else { return }
    // The response to another request may have shown, while this one waited, that HTTP/2 is of no use there.
    if mayBeHTTP2, !request.mayBeHTTP2(to: target, settings) { forbidHTTP2() }
    switch proxyChoice {
    case .direct: break
    case .proxy(let proxy): try proxy.check(for: request)
    case .invalid(let problem): throw error(.proxyFailed, problem.description, phase: .building, underlying: problem)
    }
    if let refusal = refusalByPolicy { throw refusal }
    if verifier != nil, proxy?.scheme == .https {
      throw error(.unsupported, "CurlAdapter has no `options.tls.verifier` through an https proxy", phase: .building)
    }
    guard Library.isReady, let easy = curl_easy_init() else {
      throw error(.engineFailed, "curl_easy_init failed: libcurl is not initialized or out of memory", phase: .building)
    }
    easyPointer = easy
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    text.pointee = 0
    errorText = text
    do {
      try configure(EasyHandle(pointer: easy), errorText: text)
    } catch let rejected as EasyHandle.OptionRejected {
      if rejected.code == CURLE_NOT_BUILT_IN || rejected.code == CURLE_UNKNOWN_OPTION {
        throw error(.unsupported, "libcurl \(Library.versionText) has no \(rejected.option)", phase: .building)
      }
      let reason = String(cString: curl_easy_strerror(rejected.code))
      throw error(.engineFailed, "libcurl rejected the option \(rejected.option): \(reason)", phase: .building)
    }
  }

  /// Makes the next attempt use HTTP/1.1.
  func forbidHTTP2() { mayBeHTTP2 = false }

  /// Sets an option whose value is a list of texts.
  func setList(_ option: CURLoption, _ texts: [String], _ easy: EasyHandle) throws {
    // C would stop at it.
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw EasyHandle.OptionRejected(option: "with a NUL character", code: CURLE_BAD_FUNCTION_ARGUMENT)
    }
    try setList(option, texts.flatMap { $0.utf8CString }, easy)
  }

  /// Sets an option whose value is a list of texts of C, each with its NUL.
  func setList(_ option: CURLoption, _ texts: [CChar], _ easy: EasyHandle) throws {
    guard !texts.isEmpty else { return }
    guard let longer = faraday_lists_add(lists, texts, texts.count) else {
      throw error(.engineFailed, "out of memory", phase: .building)
    }
    lists = longer
    try easy.set(option, UnsafeRawPointer(faraday_lists_last(longer)))
  }

  /// Whether libcurl gets the addresses of the host, and must not remove them from its DNS cache before it has connected.
  private(set) var hasAddresses = false

  /// Gives libcurl the addresses of a host, in the syntax of `CURLOPT_RESOLVE`.
  func setAddresses(_ entry: String, _ easy: EasyHandle) throws {
    try setList(CURLOPT_RESOLVE, [entry], easy)
    hasAddresses = true
  }

  /// Frees the easy handle and the memory it points to. It must have been removed from its multi handle.
  func closeHandle() {
    if let easyPointer { curl_easy_cleanup(easyPointer) }
    easyPointer = nil
    faraday_lists_free(lists)
    lists = nil
    omittedFields = []
    errorText?.deallocate()
    errorText = nil
  }

  /// Frees the easy handle and stops the body's source. On the engine's thread, unless it was never submitted.
  func dispose() {
    closeHandle()
    if case .stream(let buffer) = source { buffer.close() }
    producer?.cancel()
    producer = nil
  }
}
