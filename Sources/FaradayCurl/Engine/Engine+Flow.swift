internal import CCurl
internal import FaradayCore

/// What goes on in a turn: bytes and outcomes to those who wait for them, and transfers that stood still set going again.
extension Engine {
  /// A caller's callback has returned, after who knows how long.
  func calledBack() { now = Clock.now }

  /// Remembers that a transfer has something to hand out at the end of the turn.
  func touch(_ transfer: Transfer) {
    guard !transfer.isTouched else { return }
    transfer.isTouched = true
    touched.append(transfer)
  }

  /// Answers a waiting task at the end of the turn.
  func complete(_ answer: Completed) { completed.append(answer) }

  /// Waking a thread for each of many tasks costs this one more than its work for them: one is woken for all, with the highest
  /// priority of those that wait.
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

  /// Hands out what has arrived. While more comes, a reader is not woken for every piece.
  func flush(isQuiet: Bool) {
    var waiting: [Transfer] = []
    // Resuming one can touch others.
    while !touched.isEmpty {
      let round = touched
      touched.removeAll(keepingCapacity: true)
      for transfer in round {
        if transfer.mayGather(isQuiet: isQuiet, now: now) {
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
    transfer.handOverHead()
    if let stream = transfer.stream, stream.gathered > 0 { obey(flush(stream, of: transfer), transfer) }
    guard transfer.isActive else { return }
    if transfer.isRefused { resumeSending(transfer) }
    // Over HTTP/2 libcurl would go on to wait until the upload has left, which its response has made pointless.
    if transfer.isAnsweredEarly { return end(transfer, .done(CURLE_OK)) }
    // The rest of the upload may take long, and the server may be gone before.
    if transfer.isAnswered, transfer.nextLook == .max {
      transfer.nextLook = now + Transfer.answeredLook
      limit(transfer)
    }
  }

  /// Whether a transfer has had its share of the turn: commands and the other transfers are to have theirs.
  func isTurnOver(for transfer: Transfer) -> Bool {
    if transfer.sinceQuantum >= Self.quantum {
      transfer.sinceQuantum = 0
      now = Clock.now
      if active.count > 1 { return true }
    }
    return now - turnBegan > Self.turnLength
  }
  /// In nanoseconds: what a small request may have to wait for the others.
  static let turnLength: Int64 = 1_000_000
  /// Bytes that a transfer may hand over in a turn, if there are others.
  static let quantum = 256 << 10

  /// Lets a transfer go on in the next turn. libcurl would serve one as long as there is something to read, and with a slow
  /// callback there always is.
  func postpone(_ transfer: Transfer) { postponed.append(transfer) }

  func resumePostponed() {
    guard !postponed.isEmpty else { return }
    let round = postponed
    postponed.removeAll(keepingCapacity: true)
    for (index, transfer) in round.enumerated() {
      resumeReceiving(transfer)
      now = Clock.now
      guard now - turnBegan > Self.turnLength / 2 else { continue }
      // The others are the first in the next turn.
      return postponed.insert(contentsOf: round[(index + 1)...], at: 0)
    }
  }

  /// A reader has room again, or has begun to take pieces where they arrive.
  func readerMovedOn(_ transfer: Transfer) {
    guard transfer.isActive, let stream = transfer.stream else { return }
    let answer = flush(stream, of: transfer)
    // It says so when it has room: that there was some already is no reason to wait.
    obey(answer == .pause ? .more : answer, transfer)
  }

  private func flush(_ stream: ResponseStream, of transfer: Transfer) -> ResponseStream.Answer {
    let answer = stream.flush()
    if stream.isDrained { transfer.calledBack() }
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
    // The last of the response may be among what libcurl has kept.
    if transfer.isRefused { transfer.isSendPaused = false }
    transfer.lastActivity = now
    // libcurl delivers what it has kept from within the call.
    unpause(transfer)
    if let failure = transfer.failure { end(transfer, .failed(failure)) }
  }

  func resumeSending(_ transfer: Transfer) {
    guard transfer.isActive, transfer.isSendPaused else { return }
    // That libcurl is to look again at an upload that nobody wants is no sign of life.
    if !transfer.isRefused { transfer.lastActivity = now }
    transfer.isSendPaused = false
    unpause(transfer)
  }

  /// An upload that the server has refused has paused again, because its source still has nothing. It ends with the response,
  /// and only if it is not paused then; nobody is told of that end, so it is resumed whenever something has happened.
  func waitsRefused(_ transfer: Transfer) {
    refused.append(transfer)
  }

  func resumeRefused() {
    guard !refused.isEmpty else { return }
    let round = refused
    refused.removeAll()
    for transfer in round { resumeSending(transfer) }
  }

  private func unpause(_ transfer: Transfer) {
    guard let easy = transfer.easy else { return }
    let directions = (transfer.receiving == .paused ? CURLPAUSE_RECV : 0) | (transfer.isSendPaused ? CURLPAUSE_SEND : 0)
    let code = curl_easy_pause(easy.pointer, directions)
    // Without a connection there is nothing to resume: libcurl is making another, and will ask again.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    // What fails within that call does not always come up again as the transfer's end.
    end(transfer, .done(code))
  }
}

/// An outcome on its way to the task that waits for it.
struct Completed: Sendable {
  let waiting: UnsafeContinuation<Received, any Error>
  let received: Received
  let priority: TaskPriority

  func deliver() { waiting.resume(returning: received) }
}
