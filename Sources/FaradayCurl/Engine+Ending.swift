internal import CCurl
internal import FaradayCore

/// How transfers end: done, late, cancelled, or with the engine.
extension Engine {
  func finishDone() {
    var code = CURLE_OK
    while let easy = faraday_next_done(multi, &code) {
      guard let transfer = transfer(of: easy) else {
        endSweep()
        continue
      }
      if let repetition = transfer.repetition(after: code), beginsAgain(transfer, repetition) { continue }
      let isUnresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY
      let failure = isUnresolved ? transfer.libcurlError(code) : nil
      let origin = transfer.origin
      end(transfer) { $0.finish(code) }
      if let failure, let origin { failWaiting(for: origin, failure) }
    }
  }

  /// The name that they wait for is not to be found: one failure is the answer to all, and not a lookup for each.
  private func failWaiting(for origin: Admission<Transfer>.Origin, _ failure: TransportError) {
    for transfer in admission.takeUnresolved(origin, now: now) where transfer.state == .queued {
      transfer.origin = nil
      end(transfer, transfer.error(failure.code, failure.message, phase: failure.phase, engineCode: failure.engineCode))
    }
  }

  /// Begins a transfer again, with a new handle. Returns false if it cannot be, or has ended with that.
  private func beginsAgain(_ transfer: Transfer, _ repetition: Transfer.Repetition) -> Bool {
    guard transfer.canRewind else { return false }
    if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
    do {
      guard try transfer.beginAgain(repetition) else { return false }
      try add(transfer)
    } catch {
      end(transfer, error)
    }
    return true
  }

  /// By the time of the waking: what has arrived since, while somebody else's code ran here, is read in the next turn.
  func expire() {
    while let transfer = deadlines.first, transfer.deadline <= turnBegan {
      if transfer.state == .active { transfer.lookForMovement(at: max(turnBegan, now)) }
      if transfer.isOver(at: turnBegan) {
        end(transfer) { $0.finish(CURLE_OK) }
        continue
      }
      transfer.updateDeadline()
      if transfer.deadline > turnBegan {
        deadlines.update(transfer)
      } else if let error = transfer.timeout(at: turnBegan) {
        end(transfer, error)
      } else {
        deadlines.remove(transfer)
      }
    }
  }

  func end(_ transfer: Transfer, _ error: @autoclosure () -> any Error) {
    guard transfer.state != .finished else { return }
    let error = error()
    if transfer.isReceivePaused, let easy = transfer.easy {
      // What libcurl keeps for a paused transfer is freed only if it is delivered, or refused.
      transfer.failure = error
      transfer.isReceivePaused = false
      curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }
    end(transfer) { $0.finish(error) }
  }

  /// The one way out: outcome first, while the handle still has its figures; then everything is given back.
  func end(_ transfer: Transfer, outcome: (Transfer) -> Void) {
    guard transfer.state != .finished else { return }
    outcome(transfer)
    deadlines.remove(transfer)
    let connection = transfer.connection
    transfer.leaveConnection()
    switch transfer.state {
    case .active:
      if let easy = transfer.easy { curl_multi_remove_handle(multi, easy.pointer) }
      // libcurl 8 says goodbye before it closes, for as long as the server likes to listen. Before 8.15 the RST_STREAM of a stream that
      // was given up may wait for the connection's next frame, and an idle one has none.
      let tellsServer = transfer.isHTTP2 && Library.Behaviour.resetsAtOnce
      if transfer.hasFailed, !tellsServer, let connection { sockets.retire(connection) }
      active.swapAt(transfer.slot, active.count - 1)
      active[transfer.slot].slot = transfer.slot
      active.removeLast()
      if let origin = transfer.origin { admission.release(origin, now: now) }
      transfer.origin = nil
      refused.removeAll { $0 === transfer }
      transfer.dispose()
      sweepLater()
    case .queued:
      waitsNoMore(transfer)
      transfer.dispose()
      transfer.state = .finished
      if let origin = transfer.origin { admission.abandon(origin, now: now) { $0.state == .finished } }
    case .new, .finished:
      break
    }
    transfer.state = .finished
    transfer.engine = nil
  }

  func failAll(_ message: String) {
    while let transfer = active.last { end(transfer, transfer.error(.engineFailed, message)) }
    while let transfer = admission.next() {
      end(transfer, transfer.error(.engineFailed, message))
      if let origin = transfer.origin { admission.release(origin, now: now) }
    }
    // Some may have ended well just before.
    answer()
  }
}
