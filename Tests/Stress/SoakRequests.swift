import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc
import Synchronization

/// The requests of a soak: each is sent as its plan says, and what comes of it judged.
struct SoakRequests: Sendable {
  let tally: Tally
  private let seed: UInt64
  private let connection: Connection
  private let executor: any TaskExecutor
  /// Of another adapter, and never kept.
  private let inquiry: Connection
  /// What leaves the server is in this machine's kernel at once, or, on a busy one, a little later.
  private static let delivery = 50_000_000

  init(url: String, adapter: CurlAdapter, seed: UInt64, tally: Tally) throws {
    self.seed = seed
    self.tally = tally
    executor = adapter.taskExecutor
    var connection = try Connection(url, adapter: adapter)
    connection.defaults.timeouts.total = .seconds(20)
    self.connection = connection
    inquiry = try Connection(url, adapter: CurlAdapter())
  }

  /// One request, from the pause before it to the verdict.
  func send(_ number: Int) async throws {
    let plan = SoakPlan(seed: seed, number: number)
    try await Task.sleep(for: .microseconds(plan.pause))
    let began = monotonicNanoseconds()
    let task = Task(executorPreference: plan.isOnEngineThread ? executor : nil) { try await exchange(plan) }
    if let microseconds = plan.cancelsAfter {
      try await Task.sleep(for: .microseconds(microseconds))
      task.cancel()
    }
    let result = await task.result
    let verdict = judge(plan, result)
    guard case .wrong(let what) = verdict else { return tally.add(plan, verdict) }
    guard let late = try await late(number) else { return tally.add(plan, .wrong(what + "; the server sent nothing late")) }
    // An error is nobody's answer. A machine with many times more to do than it can hands over what was sent long before.
    if case .failure = result { return tally.add(plan, .crossed(what)) }
    let early = "; \((began - late) / 1_000_000) ms before it began, something late had left"
    tally.add(plan, late + Self.delivery > began ? .crossed(what) : .wrong(what + early))
  }

  /// What came of a request, as far as its reader sees it.
  private struct Received {
    var response: Response
    var content = Checksum()
    var isWhole = true
  }

  private func exchange(_ plan: SoakPlan) async throws -> Received {
    let sum = Mutex(Checksum())
    // So slow that the engine lets others go first, or the server wait.
    let isSlow = plan.number % 8 == 0
    let response = try await connection.send(
      HTTPRequest.Method(plan.method) ?? .get, "soak/\(plan.number)", body: body(plan)
    ) {
      if plan.asksForGzip { $0.options.decompression = .standard }
      switch plan.delivery {
      case .buffered: break
      case .streamed: $0.options.delivery = .streamed
      case .callback:
        $0.options.onChunk = { bytes in
          bytes.withUnsafeBytes { bytes in sum.withLock { $0.add(bytes) } }
          if isSlow { usleep(500) }
          return .continue
        }
      }
    }
    var received = Received(response: response)
    for try await piece in response.body {
      received.content.add(piece)
      if isSlow { try await Task.sleep(for: .milliseconds(2)) }
      // Some of those that would be cancelled leave the rest unread instead.
      if plan.cancelsAfter != nil, plan.number % 2 == 0 {
        received.isWhole = false
        return received
      }
    }
    try Task.checkCancellation()
    if plan.delivery == .callback { received.content = sum.withLock { $0 } }
    return received
  }

  private func body(_ plan: SoakPlan) -> Body {
    guard let upload = plan.upload else { return .empty }
    let content = Data(SoakPlan.bytes(upload, marked: plan.number))
    guard plan.isUploadStreamed else { return .data(content) }
    return .stream(Pieces(content: content), length: plan.isUploadLengthKnown ? Int64(upload) : nil)
  }

  private func judge(_ plan: SoakPlan, _ result: Result<Received, any Error>) -> Verdict {
    do {
      let received = try result.get()
      let head = received.response.headers
      func field(_ name: String) -> String { HTTPField.Name(name).flatMap { head[$0] } ?? "nothing" }
      guard field("X-Number") == "\(plan.number)" else {
        return .wrong("got the response of \(field("X-Number")): \(received.response.status)")
      }
      guard received.isWhole else { return .dropped }
      let expected = plan.method == "HEAD" ? Checksum().text : Checksum.text(of: plan.content)
      guard received.content.text == expected else {
        return .wrong("got \(received.content.text), not \(expected), and was told that it is whole")
      }
      guard plan.method == "HEAD" || field("X-Sum") == expected else { return .wrong("its head says \(field("X-Sum"))") }
      guard received.response.status.code == plan.status else { return .wrong("has status \(received.response.status)") }
      if plan.fault.failsRequest { return .wrong("was called whole") }
      if let upload = plan.upload, !plan.isEarly {
        let sent = Checksum.text(of: SoakPlan.bytes(upload, marked: plan.number))
        guard field("X-Received") == sent else { return .wrong("sent \(sent), and \(field("X-Received")) arrived") }
      }
      let hasTrailers = plan.hasTrailers && plan.framing == .chunked && plan.method != "HEAD" && plan.status != 204
      let trailer = HTTPField.Name("X-Trailer").flatMap { received.response.trailers[$0] }
      guard trailer == (hasTrailers ? "\(plan.number)" : nil) else { return .wrong("has the trailer \(trailer ?? "-")") }
      return .whole
    } catch is CancellationError {
      return plan.cancelsAfter != nil ? .cancelled : .wrong("was cancelled by nobody")
    } catch let error as TransportError {
      let isExpected = plan.codes.contains(error.code)
      return isExpected ? .failed : .wrong("\(error.code) while \(error.phase): \(error.message)")
    } catch {
      return .wrong("\(error)")
    }
  }

  /// When the late bytes had left the server that were on the request's way. Those that left before it began could have been
  /// seen; no client can see the others.
  private func late(_ number: Int) async throws -> Int? {
    try await Int(inquiry.get("late/\(number)").body.utf8Text())
  }

  /// The bytes in pieces of up to 7,000.
  private struct Pieces: AsyncSequence, Sendable {
    let content: Data

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: Data
      mutating func next() async -> Data? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(7000) }
        return rest.prefix(7000)
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: content) }
  }
}

extension SoakPlan {
  /// How the request may fail of what the server does to it.
  fileprivate var codes: Set<TransportError.Code> {
    let broken: Set<TransportError.Code> = [.connectionClosed, .receiveFailed, .sendFailed]
    // It may be sent again if there was no answer, and then its body may be gone.
    let unanswered = isUploadStreamed && upload != nil ? broken.union([.bodyNotReplayable]) : broken
    return switch fault {
    // Its body is still on its way when the connection ends.
    case .cut: isEarly ? broken.union([.truncatedResponse]) : [.truncatedResponse]
    // What had come is gone with the connection, so it may look like no answer.
    case .reset: unanswered.union([.truncatedResponse])
    case .silence: unanswered
    default: []
    }
  }
}
