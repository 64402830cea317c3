internal import CCurl
internal import FaradayCore
internal import Synchronization

/// One request on its way: its easy handle, where its bytes come from and go to, and who waits for it.
///
/// The task that sends it builds it and hands it to the engine; from then on only the engine's thread touches it, except for
/// what is `let` and a value.
// Safe to share: every `var` is written before the hand-over through the mailbox's lock, and after it only on the engine's thread. `continuation`, `isSentFromEngine` and `handle` are set by the sender just before the hand-over.
final class Transfer: @unchecked Sendable, HasDeadline {
  /// Where it is in its life, and what is true there.
  enum Life {
    /// The sender's, or on its way to the engine.
    case new
    /// It has found no connection free.
    case queued(Admission<Transfer>.Origin)
    /// libcurl has it, at that place among the engine's transfers.
    case active(Admission<Transfer>.Origin, slot: Int)
    case finished
  }

  /// Where the request's body comes from, if libcurl asks for it piece by piece.
  enum Source {
    case none
    case memory(Data)
    case stream(SendBuffer)
  }

  let request: Request
  let target: Target
  let settings: Settings
  /// The header fields but those that frame the body, checked.
  let fields: [HTTPField]
  let submitted = Clock.now
  /// Of the task that waits.
  let priority = Task.currentPriority
  private let cancellation = Atomic<Bool>(false)

  // What each line, piece and turn looks at is not checked for exclusive access: nothing of the caller's runs while it is changed.

  // What the engine knows about it.
  var continuation: UnsafeContinuation<Received, any Error>?
  /// Its task runs on the engine's thread: to resume it changes no thread.
  var isSentFromEngine = false
  var handle: EngineHandle?
  var engine: Engine?
  @exclusivity(unchecked) var life = Life.new
  @exclusivity(unchecked) var isTouched = false
  @exclusivity(unchecked) var deadline = Int64.max
  var deadlineIndex = -1
  var activated: Int64 = 0
  @exclusivity(unchecked) var lastActivity: Int64 = 0
  /// What TCP had moved when the engine looked and found it changed, and when that was.
  var movedBytes: Int64 = 0
  var looked: Int64 = 0
  /// When it is to be seen whether the server is still there.
  var nextLook = Int64.max
  /// Bytes handed over since the engine's thread last looked whether the turn is over.
  var sinceQuantum = 0
  /// Why it must end, noted where it was found; it wins over what libcurl says then.
  @exclusivity(unchecked) var failure: (any Error)?

  // The attempts: more than one where libcurl is stopped from using a connection, or from repeating by itself.
  /// What this one is to be followed by another for.
  @exclusivity(unchecked) var repetition: Repetition?
  /// What there have been others for.
  var repetitions: Set<Repetition> = []
  @exclusivity(unchecked) var attempt = Attempt()

  // Receiving.
  @exclusivity(unchecked) var parser: ResponseParser
  @exclusivity(unchecked) var firstByte: Int64 = 0
  @exclusivity(unchecked) var received: Int64 = 0
  /// Where the body goes: into this, from the head on, if all of it is wanted and may be small.
  @exclusivity(unchecked) var small: Data?
  /// Or into this.
  @exclusivity(unchecked) var stream: ResponseStream?
  var gatheringSince: Int64 = 0
  /// When the rest of a body that may be small is no longer waited for.
  var smallUntil = Int64.max
  @exclusivity(unchecked) var receiving = Receiving.flowing

  // Sending.
  @exclusivity(unchecked) var source = Source.none
  var producer: Task<Void, Never>?
  var sent: Int64 = 0
  var reported: Int64 = 0
  @exclusivity(unchecked) var isSendPaused = false

  private var easyPointer: UnsafeMutableRawPointer?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private(set) var errorText: UnsafeMutablePointer<CChar>?

  init(_ checked: CheckedRequest, _ settings: Settings) {
    request = checked.request
    target = checked.target
    fields = checked.fields
    self.settings = settings
    parser = ResponseParser(to: request.method)
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

  /// Whose connections it shares, from when the engine has let it in until it has ended.
  var origin: Admission<Transfer>.Origin? {
    switch life {
    case .queued(let origin), .active(let origin, _): origin
    case .new, .finished: nil
    }
  }

  /// The easy handle; nil before it is needed, and once the transfer has finished.
  var easy: EasyHandle? { easyPointer.map { EasyHandle(pointer: $0) } }

  /// Whether its task was cancelled. Can be set by anybody at any time.
  var isCancelled: Bool {
    get { cancellation.load(ordering: .relaxed) }
    set { cancellation.store(newValue, ordering: .relaxed) }
  }

  // MARK: libcurl's part

  /// Makes the easy handle, if there is none. A handle costs as much memory as all the rest: one that waits has none. It is never
  /// used again for another request, because libcurl's reset of one forgets too little.
  func prepare() throws {
    guard easyPointer == nil else { return }
    guard Library.isReady, let easy = curl_easy_init() else {
      throw error(.engineFailed, "libcurl has no handle to give", phase: .building)
    }
    easyPointer = easy
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    text.pointee = 0
    errorText = text
    do {
      try configure(EasyHandle(pointer: easy), errorText: text)
    } catch let refused as EasyHandle.Refused {
      let reason = String(cString: curl_easy_strerror(refused.code))
      throw error(.engineFailed, "libcurl does not take \(refused.option): \(reason)", phase: .building)
    }
  }

  /// Adds a line to the request's head, as libcurl wants it.
  func addHeader(_ line: UnsafePointer<CChar>) throws {
    guard let longer = curl_slist_append(headerList, line) else {
      throw error(.engineFailed, "out of memory", phase: .building)
    }
    headerList = longer
  }

  var headers: UnsafeRawPointer? { headerList.map { UnsafeRawPointer($0) } }

  /// Frees the easy handle and what it points to. It is in no multi handle any more.
  func closeHandle() {
    if let easyPointer { curl_easy_cleanup(easyPointer) }
    easyPointer = nil
    curl_slist_free_all(headerList)
    headerList = nil
    errorText?.deallocate()
    errorText = nil
  }

  /// Frees what libcurl holds and ends the source. On the engine's thread, unless the engine never saw it.
  func dispose() {
    closeHandle()
    if case .stream(let buffer) = source { buffer.close() }
    producer?.cancel()
    producer = nil
  }
}
