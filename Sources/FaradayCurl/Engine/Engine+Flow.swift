internal import CCurl
internal import FaradayCore

/// The flow of data in a turn: received bytes and results go to the waiting tasks, paused transfers are resumed, and no transfer
/// takes more than its share.
extension Engine {
  /// Reads the clock after a caller's callback has returned.
  func callbackReturned() { now = Clock.now }

  /// Marks a transfer that has something to deliver at the end of the turn.
  func touch(_ transfer: Transfer) {
    guard !transfer.isTouched else { return }
    transfer.isTouched = true
    touched.append(transfer)
  }

  /// Resumes a waiting task at the end of the turn.
  func complete(_ answer: Completed) { completed.append(answer) }

  /// Resumes the tasks of completed transfers. For three or more it wakes one task that resumes them, with their highest priority:
  /// waking a thread for each would cost this thread more than their transfers did.
  func answer() {
    guard !completed.isEmpty else { return }
    let batch = completed
    completed.removeAll(keepingCapacity: true)
    if batch.count < 3 {
      for answer in batch { answer.deliver() }
    } else {
      let priority = batch.reduce(TaskPriority.background) { max($0, $1.priority) }
      Task.detached(priority: priority) { for answer in batch { answer.deliver() } }
    }
  }

  /// Delivers received bytes. While more arrive, they are coalesced, and the reader is not woken for every piece.
  func flush(isQuiet: Bool) {
    var waiting: [Transfer] = []
    // Resuming one transfer can mark others.
    while !touched.isEmpty {
      let round = touched
      touched.removeAll(keepingCapacity: true)
      for transfer in round {
        if transfer.mayCoalesce(isQuiet: isQuiet, now: now) {
          waiting.append(transfer)
        } else {
          transfer.isTouched = false
          if transfer.isActive { flush(transfer) }
        }
      }
    }
    touched = waiting
  }

  private func flush(_ transfer: Transfer) {
    if let failure = transfer.failure { return end(transfer, .failed(failure)) }
    transfer.deliverHead()
    if let stream = transfer.stream, stream.gathered > 0 { obey(flush(stream, of: transfer), transfer) }
    guard transfer.isActive else { return }
    if transfer.isUploadStalled { resumeSending(transfer) }
    // Over HTTP/2 libcurl would wait until the upload is complete.
    if transfer.isStreamUploadObsolete { return end(transfer, .done(CURLE_OK)) }
    // The rest of the upload may take long, and the server may close the connection before.
    if transfer.mayBeUploadingAfterResponse, transfer.nextServerCheck == .max {
      transfer.nextServerCheck = now + Transfer.serverCheckInterval
      updateDeadline(of: transfer)
    }
  }

  /// Whether a transfer has had its share of the turn, so that commands and other transfers get theirs (fairness).
  func isTurnOver(for transfer: Transfer) -> Bool {
    if transfer.bytesThisTurn >= Self.maximumBytesPerTurn {
      transfer.bytesThisTurn = 0
      now = Clock.now
      if active.count > 1 { return true }
    }
    return now - turnBegan > Self.turnLength
  }
  /// The maximum length of a turn, in nanoseconds: the latency that a small request may have because of the others.
  static let turnLength: Int64 = 1_000_000
  /// The maximum of bytes that a transfer may receive in a turn, if there are others.
  static let maximumBytesPerTurn = 256 << 10

  /// Lets a transfer continue in the next turn. libcurl would serve it for as long as there is something to read, which with a slow
  /// callback is always.
  func postpone(_ transfer: Transfer) { postponed.append(transfer) }

  func resumePostponed() {
    guard !postponed.isEmpty else { return }
    let round = postponed
    postponed.removeAll(keepingCapacity: true)
    for (index, transfer) in round.enumerated() {
      resumeReceiving(transfer)
      now = Clock.now
      guard now - turnBegan > Self.turnLength / 2 else { continue }
      // The rest go first in the next turn.
      return postponed.insert(contentsOf: round[(index + 1)...], at: 0)
    }
  }

  /// The reader is below its low watermark, or has started to drain.
  func readerHasRoom(_ transfer: Transfer) {
    guard transfer.isActive, let stream = transfer.stream else { return }
    let answer = flush(stream, of: transfer)
    // The command means that there is room: an answer to pause is outdated.
    obey(answer == .pause ? .more : answer, transfer)
  }

  private func flush(_ stream: ResponseStream, of transfer: Transfer) -> ResponseStream.Answer {
    let answer = stream.flush()
    if stream.isDrained { transfer.callbackReturned() }
    return answer
  }

  private func obey(_ answer: ResponseStream.Answer, _ transfer: Transfer) {
    switch answer {
    case .more: resumeReceiving(transfer)
    case .pause: break
    case .stop: end(transfer, .failed(CancellationError()))
    }
  }

  func resumeReceiving(_ transfer: Transfer) {
    guard transfer.isActive, transfer.receiving != .flowing else { return }
    let wasPaused = transfer.receiving == .paused
    transfer.receiving = .flowing
    guard wasPaused else { return }
    // The end of the response may be among what libcurl has buffered; it does not end a paused upload.
    if transfer.isUploadStalled { transfer.isSendPaused = false }
    transfer.lastActivity = now
    // libcurl delivers what it has buffered within this call.
    unpause(transfer)
    if let failure = transfer.failure { end(transfer, .failed(failure)) }
  }

  func resumeSending(_ transfer: Transfer) {
    guard transfer.isActive, transfer.isSendPaused else { return }
    // Resuming a stalled upload is no activity for the idle timeout.
    if !transfer.isUploadStalled { transfer.lastActivity = now }
    transfer.isSendPaused = false
    unpause(transfer)
  }

  /// Notes a stalled upload (see ``Transfer``). It ends with the response, but only if it is not paused then, and libcurl does not
  /// report that end: so it is resumed after every event, and pauses again.
  func noteStalledUpload(_ transfer: Transfer) {
    stalledUploads.append(transfer)
  }

  func resumeStalledUploads() {
    guard !stalledUploads.isEmpty else { return }
    let round = stalledUploads
    stalledUploads.removeAll()
    for transfer in round { resumeSending(transfer) }
  }

  private func unpause(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    let directions = (transfer.receiving == .paused ? CURLPAUSE_RECV : 0) | (transfer.isSendPaused ? CURLPAUSE_SEND : 0)
    let code = curl_easy_pause(easy.pointer, directions)
    // Without a connection there is nothing to resume: libcurl is opening another.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    // An error within this call is not always reported as the transfer's end.
    end(transfer, .done(code))
  }
}

/// A response for a waiting task, which is resumed at the end of the turn.
struct Completed: Sendable {
  let waiting: UnsafeContinuation<Received, any Error>
  let received: Received
  let priority: TaskPriority

  func deliver() { waiting.resume(returning: received) }
}
