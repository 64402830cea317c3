internal import CCurl
internal import FaradayCore
internal import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One request on its way: its easy handle, where its bytes come from and go to, and who waits for it.
///
/// The task that sends it builds it and hands it to the engine; from then on only the engine's thread touches it, except for
/// what is `let` and a value.
// Safe to share: every `var`, and what is in `stream`, is written before the hand-over through the mailbox's lock, and after it
// only on the engine's thread. `continuation`, `isSentFromEngine` and `handle` are set by the sender just before the hand-over.
final class Transfer: @unchecked Sendable, HasDeadline {
  /// What is the same for all transfers of an adapter.
  struct Settings: Sendable {
    let receiveBufferSize: Int
    let streamBufferSize: Int
    let proxies: ProxySettings
    let handles = HandlePool()

    init(_ configuration: CurlAdapter.Configuration) {
      receiveBufferSize = min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10)
      streamBufferSize = max(configuration.streamBufferSize, 64 << 10)
      proxies = ProxySettings(configuration.proxy)
    }
  }

  enum State { case new, queued, active, finished }

  /// Where the request's body comes from, if libcurl asks for it piece by piece.
  enum Source {
    case none
    case memory(Data)
    case stream(SendBuffer)
  }

  let request: Request
  let target: Target
  // Looked at for every piece: options are behind a reference.
  /// Where the body goes, if to neither of these then into `whole`.
  let onChunk: ChunkHandler?
  let stream: StreamWriter?
  let decompression: Decompression?
  let onDownloadProgress: ProgressHandler?
  let receiveBufferSize: Int
  let submitted = Clock.now
  private let cancellation = Atomic<Bool>(false)

  // What the engine knows about it.
  var continuation: UnsafeContinuation<Received, any Error>?
  /// Its task runs on the engine's thread: to resume it changes no thread.
  var isSentFromEngine = false
  var handle: EngineHandle?
  var engine: Engine?
  var state = State.new
  var origin: Admission<Transfer>.Origin?
  var slot = -1
  var isTouched = false
  var deadline = Int64.max
  var deadlineIndex = -1
  var activated: Int64 = 0
  var lastActivity: Int64 = 0
  var isReady = false
  var hasRetriedFresh = false
  /// Why it must end, noted where it was found; it wins over what libcurl says then.
  var failure: (any Error)?

  // Receiving.
  var head = RawHead()
  var status = 0
  var headState = HeadState.expected
  var headSize = 0
  var headLines = 0
  var isHeadDelivered = false
  var isHeadDue = false
  var contentLength: Int64?
  /// libcurl decodes the body: its length is not the one that the head states, and the limits on decoding hold.
  var isDecoded = false
  var isTransferCoded = false
  var isAskedAgain = false
  var refusedExpectations = 0
  var closesConnection = false
  var isHTTP2 = false
  var received: Int64 = 0
  var whole = Data()
  var trailers: [UInt8] = []
  var gatheringSince: Int64 = 0
  var isReceivePaused = false
  var isResuming = false
  let ending = Response.Ending()

  // Sending.
  var source = Source.none
  var producer: Task<Void, Never>?
  var sent: Int64 = 0
  var reported: Int64 = 0
  var isSendPaused = false

  private let handles: HandlePool?
  private var easyPointer: UnsafeMutableRawPointer?
  var headerList: UnsafeMutablePointer<curl_slist>?
  let errorText: UnsafeMutablePointer<CChar>

  init(_ request: Request, _ settings: Settings) throws {
    self.request = request
    target = try Target(request)
    decompression = request.options.decompression
    onDownloadProgress = request.options.onDownloadProgress
    // Decoding a large buffer at once can blow it up a thousandfold while the reader is paused.
    receiveBufferSize = decompression == nil ? settings.receiveBufferSize : min(settings.receiveBufferSize, 16 << 10)
    onChunk = request.options.onChunk
    let isStreamed = onChunk == nil && request.options.delivery == .streamed
    stream = isStreamed ? StreamWriter(ReceiveBuffer(size: settings.streamBufferSize)) : nil
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.pointee = 0
    // A kept handle keeps its buffer, and with it the size: only handles of one size are kept.
    handles = receiveBufferSize == settings.receiveBufferSize ? settings.handles : nil
    easyPointer = Library.isReady ? handles?.take() ?? curl_easy_init() : nil
    guard let easyPointer else { throw TransportError(.engineFailed, building: request, "libcurl has no handle to give") }
    do {
      try configure(EasyHandle(pointer: easyPointer), settings)
    } catch let refused as EasyHandle.Refused {
      let reason = String(cString: curl_easy_strerror(refused.code))
      throw TransportError(.engineFailed, building: request, "libcurl does not take \(refused.option): \(reason)")
    }
  }

  deinit {
    dispose()
    errorText.deallocate()
  }

  /// The easy handle; nil once the transfer has finished.
  var easy: EasyHandle? { easyPointer.map { EasyHandle(pointer: $0) } }

  /// Whether libcurl took it to its end.
  var endedWell = false
  /// Whether its task was cancelled. Can be set by anybody at any time.
  var isCancelled: Bool {
    get { cancellation.load(ordering: .relaxed) }
    set { cancellation.store(newValue, ordering: .relaxed) }
  }

  /// Frees what libcurl holds and ends the source. On the engine's thread, unless the engine never saw it.
  func dispose() {
    if let easyPointer {
      if endedWell, !isHTTP2, let handles { handles.giveBack(easyPointer) } else { curl_easy_cleanup(easyPointer) }
    }
    easyPointer = nil
    curl_slist_free_all(headerList)
    headerList = nil
    stream?.discard()
    if case .stream(let buffer) = source { buffer.close() }
    producer?.cancel()
    producer = nil
  }

  /// When it is over time, or was last seen moving plus the idle limit.
  func updateDeadline() {
    let timeouts = request.options.timeouts
    deadline = .max
    if let total = timeouts.total { deadline = submitted + total.nanoseconds }
    if let idle = timeouts.idle, state == .active { deadline = min(deadline, lastActivity + idle.nanoseconds) }
  }

  /// Whether the caller's side, and not the network, is what the exchange waits for.
  var waitsForCaller: Bool { isReceivePaused || isSendPaused && !isTurnedDown }
}
